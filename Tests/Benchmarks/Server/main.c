// A stand-in for ip-api's batch endpoint that costs as little as can be, so that a measurement
// against it is one of the client.
//
// It answers every POST with an array of entries in the wire order of the service, about 300 bytes
// each, made of one template a place; which place an address gets is a sum over its text. It knows
// no limits. It prints its port, serves on one thread, and ends when its standard input does.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  places = 64,
  longest_question = 64 << 10, // 100 quoted IPv6 addresses and the header section take 6 KB.
  longest_answer = 512 << 10,
  head_room = 256, // For the header section, which is known only after the body.
};

struct template {
  char text[512];
  size_t length;
};

struct connection {
  int descriptor;
  size_t received;
  size_t answered, sent; // The part of the answer that the socket has not taken yet.
  char *pending;
  char question[longest_question];
};

static struct template templates[places];
static char answer[head_room + longest_answer];

static void die(const char *what) {
  perror(what);
  exit(EXIT_FAILURE);
}

static void make_templates(void) {
  for (int place = 0; place < places; place++) {
    int length = snprintf(templates[place].text, sizeof templates[place].text,
        "{\"status\":\"success\",\"country\":\"Canada\",\"countryCode\":\"CA\",\"region\":\"QC\","
        "\"regionName\":\"Quebec\",\"city\":\"Montreal %d\",\"zip\":\"H1K\",\"lat\":45.60%02d,"
        "\"lon\":-73.54%02d,\"timezone\":\"America/Toronto\",\"isp\":\"Le Groupe Videotron Ltee\","
        "\"org\":\"Videotron Ltee\",\"as\":\"AS%d Videotron Telecom Ltee\",\"query\":\"",
        place, place, place, 5769 + place);
    templates[place].length = (size_t)length;
  }
}

static char *copy(char *to, const char *from, size_t length) {
  memcpy(to, from, length);
  return to + length;
}

// Writes an entry for each quoted text of the body, and returns the end of the array.
static char *answer_body(const char *body, const char *end, char *out) {
  char *limit = answer + sizeof answer - 1024;
  *out++ = '[';
  while (out < limit) {
    const char *open = memchr(body, '"', (size_t)(end - body));
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (!close)
      break;
    unsigned sum = 0;
    for (const char *byte = open + 1; byte < close; byte++)
      sum = sum * 31 + (unsigned char)*byte;
    const struct template *template = &templates[sum % places];
    if (out[-1] == '}')
      *out++ = ',';
    out = copy(out, template->text, template->length);
    out = copy(out, open + 1, (size_t)(close - open - 1));
    out = copy(out, "\"}", 2);
    body = close + 1;
  }
  *out++ = ']';
  return out;
}

static bool send_rest(struct connection *connection, const char *bytes) {
  while (connection->sent < connection->answered) {
    ssize_t count = send(connection->descriptor, bytes + connection->sent,
        connection->answered - connection->sent, MSG_NOSIGNAL);
    if (count < 0)
      return errno == EAGAIN;
    connection->sent += (size_t)count;
  }
  return true;
}

// Answers one question and keeps what the socket does not take at once.
static bool reply(struct connection *connection, const char *body, size_t length) {
  char *start = answer + head_room;
  char *end = answer_body(body, body + length, start);
  char head[head_room];
  int head_length = snprintf(head, sizeof head,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
      "Content-Length: %zu\r\nAccess-Control-Allow-Origin: *\r\n\r\n",
      (size_t)(end - start));
  start -= head_length;
  memcpy(start, head, (size_t)head_length);
  connection->answered = (size_t)(end - start);
  connection->sent = 0;
  if (!send_rest(connection, start))
    return false;
  if (connection->sent < connection->answered) {
    connection->pending = malloc(connection->answered);
    if (!connection->pending)
      die("malloc");
    memcpy(connection->pending, start, connection->answered);
  }
  return true;
}

static size_t content_length(const char *head) {
  const char *field = strcasestr(head, "\r\nContent-Length:");
  return field ? strtoul(field + strlen("\r\nContent-Length:"), NULL, 10) : 0;
}

// Answers what has come in whole; false when the connection is to be closed.
static bool answer_questions(struct connection *connection) {
  while (!connection->pending) {
    connection->question[connection->received] = '\0';
    char *blank = strstr(connection->question, "\r\n\r\n");
    if (!blank)
      return connection->received < longest_question - 1;
    *blank = '\0';
    size_t length = content_length(connection->question);
    *blank = '\r';
    char *body = blank + 4;
    size_t whole = (size_t)(body - connection->question) + length;
    if (whole >= longest_question)
      return false;
    if (connection->received < whole)
      return true;
    if (!reply(connection, body, length))
      return false;
    connection->received -= whole;
    memmove(connection->question, connection->question + whole, connection->received);
  }
  return true;
}

static bool serve(struct connection *connection, unsigned events) {
  if (connection->pending && events & EPOLLOUT) {
    if (!send_rest(connection, connection->pending))
      return false;
    if (connection->sent < connection->answered)
      return true;
    free(connection->pending);
    connection->pending = NULL;
    if (!answer_questions(connection))
      return false;
  }
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
    return true;
  ssize_t count = recv(connection->descriptor, connection->question + connection->received,
      longest_question - 1 - connection->received, 0);
  if (count < 0)
    return errno == EAGAIN;
  if (count == 0)
    return false;
  connection->received += (size_t)count;
  return answer_questions(connection);
}

static int listen_on_loopback(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0
      || listen(listener, 128) < 0 || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
    die("listen");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

static void watch(int poller, int descriptor, unsigned events, void *context) {
  struct epoll_event event = {.events = events, .data.ptr = context};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) < 0)
    die("epoll_ctl");
}

static void admit(int poller, int listener) {
  int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0)
    return;
  int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  struct connection *connection = calloc(1, sizeof *connection);
  if (!connection)
    die("calloc");
  connection->descriptor = descriptor;
  watch(poller, descriptor, EPOLLIN | EPOLLOUT | EPOLLET, connection);
}

int main(void) {
  make_templates();
  int listener = listen_on_loopback();
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0)
    die("epoll_create1");
  static struct connection owner; // Whoever holds the other end of standard input.
  watch(poller, listener, EPOLLIN, NULL);
  watch(poller, STDIN_FILENO, EPOLLIN, &owner);
  for (;;) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, 64, -1);
    for (int index = 0; index < count; index++) {
      struct connection *connection = events[index].data.ptr;
      if (connection == &owner)
        return EXIT_SUCCESS;
      if (!connection) {
        admit(poller, listener);
      } else if (!serve(connection, events[index].events)) {
        close(connection->descriptor);
        free(connection->pending);
        free(connection);
      }
    }
  }
}
