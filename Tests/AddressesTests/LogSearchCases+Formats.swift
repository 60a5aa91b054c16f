// Lines of real programs' logs.

extension LogSearchCases {
  /// Syslog and the programs that write to it.
  static let syslog = parsed(
    #"""
    May 17 10:05:03 host sshd[42]: Failed password for invalid user admin from 203.0.113.9 port 4242 ssh2
      => 203.0.113.9
    May 17 10:05:03 host sshd[42]: Accepted publickey for git from 2001:db8::77 port 51034 ssh2: ED25519 SHA256:aX1::9
      => 2001:db8::77
    May 17 10:05:03 host sshd[42]: Connection closed by authenticating user root 198.51.100.7 port 22 [preauth]
      => 198.51.100.7
    <34>1 2026-11-20T18:55:36.003Z 192.0.2.1 su - ID47 - 'su root' failed for lonvick on /dev/pts/8
      => 192.0.2.1
    <13>Nov 20 18:55:36 10.1.2.3:514 kernel: [12345.678901] eth0: link up
      => 10.1.2.3
    Nov 20 18:55:36 h app: #033[32mINFO#033[0m client=#0338.8.8.8#011port=53
      => 8.8.8.8
    Nov 20 03:04:31:203.0.113.9 login failed
      => 203.0.113.9
    Nov 20 18:55:36 mx postfix/smtpd[9]: connect from mail.example.com[192.0.2.25]:4242
      => 192.0.2.25
    Nov 20 18:55:36 mx postfix/smtp[9]: 4F1D: to=<a@b.example>, relay=mx.b.example[2001:db8::25]:25, delay=1.2, dsn=2.0.0
      => 2001:db8::25
    Nov 20 18:55:36 mx postfix/smtpd[9]: NOQUEUE: reject: RCPT from unknown[198.51.100.9]: 554 5.7.1 <[198.51.100.9]>: Helo
      => 198.51.100.9 198.51.100.9
    Received: from [IPv6:2001:db8::25] (unknown [IPv6:2001:db8::25]) by mx
      => 2001:db8::25 2001:db8::25
    Received-SPF: pass (ip4:192.0.2.0/24 ip6:2001:db8:ab::/48)
      => 192.0.2.0 2001:db8:ab::
    v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 include:_spf.example.com ~all
      => 192.0.2.1 2001:db8::1
    Nov 20 18:55:36 h kernel: IN=eth0 OUT= MAC=00:1a:2b:3c:4d:5e:00:1a:2b:3c:4d:5f:08:00 SRC=198.51.100.7 DST=192.0.2.1 LEN=60 TOS=0x00
      => 198.51.100.7 192.0.2.1
    kernel: [UFW BLOCK] IN=eth0 OUT= MAC=33:33:00:00:00:01:00:1a:2b:3c:4d:5e:86:dd SRC=fe80:0000:0000:0000:021a:2bff:fe3c:4d5e DST=ff02:0000:0000:0000:0000:0000:0000:0001 LEN=72
      => fe80::21a:2bff:fe3c:4d5e ff02::1
    Nov 20 18:55:36 h dhcpd: DHCPACK on 10.0.0.77 to 00:1a:2b:3c:4d:5e (host-1.2) via eth0
      => 10.0.0.77
    Nov 20 18:55:36 h named[7]: client @0x7f3c 203.0.113.5#51234 (a.example): query: a.example IN A +E(0)K (192.0.2.53)
      => 203.0.113.5 192.0.2.53
    Nov 20 18:55:36 h dnsmasq[1]: reply 5.15.0.91.in-addr.arpa is NXDOMAIN
      =>
    Nov 20 18:55:36 h charon: 05[NET] received packet: from 203.0.113.4[500] to 192.0.2.4[500] (464 bytes)
      => 203.0.113.4 192.0.2.4
    Nov 20 18:55:36 h openvpn[3]: 203.0.113.4:1194 TLS: Initial packet from [AF_INET]203.0.113.4:1194, sid=1a2b
      => 203.0.113.4 203.0.113.4
    Nov 20 18:55:36 h openvpn[3]: [AF_INET6]::ffff:203.0.113.4:1194 x
      => 203.0.113.4
    Nov 20 18:55:36 h kernel: Linux version 5.15.0.91-generic (gcc 11.4.0-1ubuntu1~22.04)
      =>
    2026-11-20 18:55:36 upgrade foo:amd64 1.2.3.4-5ubuntu1 1.2.3.4-5ubuntu2
      =>
    Nov 20 18:55:36 Installed: foo-1.2.3.4-1.el8.x86_64
      =>
    Nov 20 18:55:36 fail2ban.actions [7]: NOTICE [sshd] Ban 203.0.113.8
      => 203.0.113.8
    multipathd: 50:0a:09:81:98:f4:2a:cc sdb 8:16 active; port WWPN 21:00:00:24:ff:4a:bc:de
      =>
    """#
  )

  /// Web servers, proxies and load balancers.
  static let web = parsed(
    #"""
    203.0.113.7 - frank [20/Nov/2026:18:55:36 +0000] "GET /a.gif HTTP/1.0" 200 2326
      => 203.0.113.7
    203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] "GET / HTTP/1.1" 200 5 "http://192.0.2.9/x" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0"
      => 203.0.113.7 192.0.2.9
    www.example.com:443 2001:db8::9 - - [20/Nov/2026:18:55:36 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0 OPR/106.0.0.0"
      => 2001:db8::9
    [Fri Nov 20 18:55:36.123456 2026] [core:error] [pid 9:tid 140] [client 203.0.113.7:51234] AH00126: Invalid URI
      => 203.0.113.7
    [Fri Nov 20 18:55:36 2026] [error] [client ::1] File does not exist
      => ::1
    [Fri Nov 20 18:55:36 2026] [error] [client 2001:db8::9:51234] x
      =>
    203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] "\x16\x03\x01\x228.8.8.8\x22" 400 150 "-" "-"
      => 203.0.113.7 8.8.8.8
    203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] "GET /?u=http%3A%2F%2F8.8.8.8%2Fa HTTP/1.1" 200 5
      => 203.0.113.7 8.8.8.8
    2026/11/20 18:55:36 [error] 7#7: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 203.0.113.7, server: _, request: "GET / HTTP/1.1", upstream: "http://10.0.0.5:8080/", host: "192.0.2.1"
      => 203.0.113.7 10.0.0.5 192.0.2.1
    2026/11/20 18:55:36 [error] 7#7: *1 upstream timed out, client: 2001:db8::7, upstream: "http://[fd00::5]:8080/"
      => 2001:db8::7 fd00::5
    2026-11-20 18:55:36 10.0.0.4 GET /app.js - 443 - 203.0.113.9 Mozilla/5.0+(Windows+NT+10.0;+Win64;+x64)+AppleWebKit/537.36+(KHTML,+like+Gecko)+Chrome/120.0.0.0+Safari/537.36+Edg/120.0.0.0 - 200 0 0 15
      => 10.0.0.4 203.0.113.9
    2026-11-20 18:55:36 fe80::1%5 GET / - 80 - ::1 Mozilla/5.0+(X11)+Edg/120.0.0.0 http://10.0.0.4/ 200
      => fe80::1%5 ::1 10.0.0.4
    1700000000.123    250 203.0.113.7 TCP_MISS/200 1234 GET http://example.com/ - HIER_DIRECT/93.184.216.34 text/html
      => 203.0.113.7 93.184.216.34
    1700000000.123     10 2001:db8::7 TCP_TUNNEL/200 39 CONNECT [2001:db8::5]:443 - HIER_DIRECT/2001:db8::5 -
      => 2001:db8::7 2001:db8::5 2001:db8::5
    203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] "GET http://a/ HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11) Chrome/120.0.0.0" TCP_MISS:HIER_DIRECT/93.184.216.34
      => 203.0.113.7 93.184.216.34
    haproxy[7]: 203.0.113.7:51234 [20/Nov/2026:18:55:36.123] fe~ be/s1 0/0/1/2/3 200 512 - - ---- 1/1/0/0/0 0/0 {Mozilla/5.0 (X11) OPR/106.0.0.0} "GET / HTTP/1.1"
      => 203.0.113.7
    haproxy[7]: ::ffff:203.0.113.7:51234 [20/Nov/2026:18:55:36.123] fe be/s1 x
      => 203.0.113.7
    haproxy[7]: 203.0.113.7:51234 [20/Nov/2026:18:55:36.123] fe be/10.0.0.5:80 0/0/1 200
      => 203.0.113.7 10.0.0.5
    http 2026-11-20T18:55:36.123456Z app/lb/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET http://192.0.2.9:80/ HTTP/1.1" "Mozilla/5.0 (X11) Chrome/120.0.0.0" - -
      => 203.0.113.7 10.0.0.1 192.0.2.9
    2026-11-20T18:55:36.123456Z my-elb 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:80/ HTTP/1.1" "curl/7.38.0" - -
      => 203.0.113.7 10.0.0.1
    2026-11-20\#t18:55:36\#tFRA2-C1\#t1045619\#t203.0.113.7\#tGET\#td111.cloudfront.net\#t/v.js\#t200\#t-\#tMozilla/5.0%20(X11)%20AppleWebKit/537.36%20Chrome/120.0.0.0%20Safari/537.36\#t-\#t-\#tHit\#t2001:db8::7
      => 203.0.113.7 2001:db8::7
    2 123456789010 eni-1235b8ca 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK
      => 172.31.16.139 172.31.16.21
    2 123456789010 eni-1235b8ca 2001:db8:1234:a100:8d6e:3477:df66:f105 2001:db8:1234:a102:3304:8879:34cf:4071 34892 22 6 54 8855 1477913708 1477913820 ACCEPT OK
      => 2001:db8:1234:a100:8d6e:3477:df66:f105 2001:db8:1234:a102:3304:8879:34cf:4071
    X-Forwarded-For: 203.0.113.7, 10.0.0.1,2001:db8::7
      => 203.0.113.7 10.0.0.1 2001:db8::7
    Forwarded: for=192.0.2.60;proto=http;by=203.0.113.43, for="[2001:db8:cafe::17]:4711"
      => 192.0.2.60 203.0.113.43 2001:db8:cafe::17
    "Opera/9.80 (X11) Presto/2.12.388 Version/12.16.1.1"
      =>
    "Dalvik/2.1.0.0 (Linux; U; Android 9)"
      =>
    "Outlook-iOS/709.2189947.prod.iphone (4.8.0.1)"
      => 4.8.0.1
    "MyApp/4.8.0.1 CFNetwork/1410.0.3 Darwin/22.6.0"
      =>
    """#
  )

  /// Firewalls, sensors and tools for networks.
  static let networks = parsed(
    #"""
    %ASA-6-302013: Built inbound TCP connection 1 for outside:198.51.100.7/1024 (198.51.100.7/1024) to inside:10.1.1.1/443 (10.1.1.1/443)
      => 198.51.100.7 198.51.100.7 10.1.1.1 10.1.1.1
    %ASA-4-106023: Deny tcp src outside:2001:db8::7/1024 dst inside:fd00::1/443 by access-group "x"
      => 2001:db8::7 fd00::1
    %ASA-2-106001: Inbound TCP connection denied from 198.51.100.7/1024 to 10.1.1.1/443 flags SYN on interface outside
      => 198.51.100.7 10.1.1.1
    %SEC-6-IPACCESSLOGP: list 101 denied tcp 198.51.100.7(1024) -> 10.1.1.1(443), 1 packet
      => 198.51.100.7 10.1.1.1
    RT_FLOW_SESSION_CREATE: session created 10.0.0.1/56->203.0.113.5/443 junos-https 198.51.100.2/7->203.0.113.5/443 trust/10.0.0.1(5678)
      => 10.0.0.1 203.0.113.5 198.51.100.2 203.0.113.5 10.0.0.1
    filterlog[7]: 5,,,1000000103,em0,match,block,in,4,0x0,,64,0,0,DF,6,tcp,60,198.51.100.7,192.0.2.1,51234,22,0,S,1,,64240,,mss
      => 198.51.100.7 192.0.2.1
    filterlog[7]: 7,,,1000000105,em0,match,block,in,6,0x00,0x00000,1,UDP,17,81,fe80::1,ff02::1:2,546,547,81
      => fe80::1 ff02::1:2
    1700000000.123\#tCHhAvVGS1DHFjwGM9\#t10.0.0.5\#t51234\#t203.0.113.5\#t443\#ttcp\#tssl\#t1.5\#t1\#t2\#tSF
      => 10.0.0.5 203.0.113.5
    1700000000.123\#tC1\#tfe80::a%eth0\#t5353\#tff02::fb\#t5353\#tudp
      => fe80::a%eth0 ff02::fb
    1700000000.1\#tC1\#t10.0.0.5\#t80\#thttp\#tMozilla/5.0 (X11) Chrome/120.0.0.0\#t203.0.113.5
      => 10.0.0.5 203.0.113.5
    {"ts":1700000000.1,"uid":"C1","id.orig_h":"10.0.0.5","id.orig_p":51234,"id.resp_h":"2001:db8::5","user_agent":"Mozilla/5.0 (X11) Chrome/120.0.0.0"}
      => 10.0.0.5 2001:db8::5
    {"timestamp":"2026-11-20T18:55:36.123456+0000","event_type":"alert","src_ip":"203.0.113.5","dest_ip":"10.0.0.5","alert":{"signature":"ET POLICY curl\/7.1.2.3"},"http":{"http_user_agent":"Mozilla\/5.0 (X11) Chrome\/120.0.0.0"}}
      => 203.0.113.5 10.0.0.5 7.1.2.3
    11/20/2026-18:55:36.123456  [**] [1:2019401:26] ET POLICY x [**] {TCP} 203.0.113.5:443 -> 10.0.0.5:51234
      => 203.0.113.5 10.0.0.5
    18:55:36.123456 IP 10.0.0.1.443 > 10.0.0.2.55555: Flags [P.], seq 1:29, ack 1
      => 10.0.0.1 10.0.0.2
    18:55:36.123456 IP6 2001:db8::1.https > 2001:db8::2.55555: Flags [.], ack 1
      => 2001:db8::1 2001:db8::2
    18:55:36.123456 IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 1, seq 1, length 64
      => 10.0.0.1 10.0.0.2
    18:55:36.1 ARP, Request who-has 10.0.0.2 tell 10.0.0.1, length 28
      => 10.0.0.2 10.0.0.1
    18:55:36.1 IP 10.0.0.1.5353 > 224.0.0.251.5353: 0 [2q] PTR (QM)? _x._tcp.local.
      => 10.0.0.1 224.0.0.251
    18:55:36.1 IP 10.0.0.1.45678 > 10.0.0.53.domain: 1234+ A? example.com. (29)
      => 10.0.0.1 10.0.0.53
    18:55:36.1 IP host.example.443 > 10.0.0.2.55555: Flags [S]
      =>
    tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN
      => 0.0.0.0 0.0.0.0
    tcp6       0      0 :::22                   :::*                    LISTEN
      =>
    tcp6       0      0 ::1:631                 :::*                    LISTEN
      => ::1:631
    tcp        0     52 10.0.0.5:22             203.0.113.5:51234       ESTABLISHED
      => 10.0.0.5 203.0.113.5
    ESTAB 0 0 [2001:db8::5]:22 [::ffff:203.0.113.5]:51234
      => 2001:db8::5 203.0.113.5
    LISTEN 0 128 127.0.0.53%lo:53 0.0.0.0:*
      => 127.0.0.53 0.0.0.0
    UNCONN 0 0 [fe80::1]%eth0:546 [::]:*
      => fe80::1
    \#u{20}   inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0
      => 10.0.0.5 10.0.0.255
    \#u{20}   inet6 fe80::21a:2bff:fe3c:4d5e/64 scope link
      => fe80::21a:2bff:fe3c:4d5e
    \#u{20}   link/ether 00:1a:2b:3c:4d:5e brd ff:ff:ff:ff:ff:ff
      =>
    \#u{20}   link/infiniband 80:00:02:08:fe:80:00:00:00:00:00:00:f4:52:14:03:00:7b:cb:a1 brd x
      =>
    default via fe80::1 dev eth0 proto ra metric 100
      => fe80::1
    64 bytes from 8.8.8.8: icmp_seq=1 ttl=117 time=9.1 ms
      => 8.8.8.8
    \#u{20}3  ae1-3502.edge.example (203.0.113.1)  1.123 ms
      => 203.0.113.1
    Nmap scan report for 203.0.113.0-9
      => 203.0.113.0
    """#
  )

  /// Programs that write JSON, containers, Java, and what grep makes of logs.
  static let programs = parsed(
    #"""
    {"log":"203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0 (X11) Edg/120.0.0.0\"\n","stream":"stdout","time":"2026-11-20T18:55:36.1Z"}
      => 203.0.113.7
    {"log":"\u001b[32mINFO\u001b[0m peer=\u001b[33m8.8.8.8\u001b[0m\n","stream":"stderr"}
      => 8.8.8.8
    {"log":"IP 10.0.0.1.443 \u003e 10.0.0.2.55555: Flags [S]\n","stream":"stdout"}
      => 10.0.0.1 10.0.0.2
    2026-11-20T18:55:36.123456789Z stdout F I1120 18:55:36.123456       1 proxier.go:1] endpoint=10.244.0.5:8080
      => 10.244.0.5
    E1120 18:55:36.1 1 reflector.go:138] Get "https://10.96.0.1:443/api/v1/pods?limit=500": dial tcp 10.96.0.1:443: i/o timeout
      => 10.96.0.1 10.96.0.1
    level=info msg="peer up" addr="[fd00::1]:7946" ver=1.2.3.4-rc1
      => fd00::1
    {"kind":"Event","sourceIPs":["203.0.113.7","::1"],"userAgent":"kubectl/v1.28.3 (linux/amd64) kubernetes/a8a1abc"}
      => 203.0.113.7 ::1
    {"MESSAGE":"lines:\n8.8.8.8\t9.9.9.9\n1.1.1.1","_PID":"1","__REALTIME_TIMESTAMP":"1700000000123456"}
      => 8.8.8.8 9.9.9.9 1.1.1.1
    {"MESSAGE":"\u00228.8.8.8\u0022 C:\\\\n8.8.4.4","_BOOT_ID":"6e8bc430"}
      => 8.8.8.8
    {"a":"10.0.0.5","b":["2001:db8::1"],"c":{"d":"10.0.0.6:80"}}
      => 10.0.0.5 2001:db8::1 10.0.0.6
    {"url":"http:\/\/8.8.8.8\/x","ua":"okhttp\/4.9.0.1"}
      => 8.8.8.8 4.9.0.1
    java.net.ConnectException: Connection refused: host/10.0.0.5 to localhost/127.0.0.1:8080
      => 10.0.0.5 127.0.0.1
    INFO [main] Channel connected: /10.0.0.5:51234 -> db.internal/10.0.0.6:5432
      => 10.0.0.5 10.0.0.6
    io.netty.channel: localhost/127.0.0.1 connected; node=/fd00:0:0:0:0:0:0:1:9042
      => 127.0.0.1
    ERROR Gossip node ip-10-0-0-5/10.0.0.5 is DOWN
      => 10.0.0.5
    WARN NodeSelector null/[0:0:0:0:0:0:0:1]:8443
      => ::1
    12:203.0.113.7 - - [20/Nov/2026:18:55:36 +0000] "GET / HTTP/1.1" 200
      => 203.0.113.7
    access.log:12:2001:db8::7 - - [20/Nov/2026:18:55:36 +0000]
      => 2001:db8::7
    access.log-13-203.0.113.8 - -
      => 203.0.113.8
    access.log:203.0.113.7 - - x
      => 203.0.113.7
    ./a/b.log:2500:203.0.113.7 - - x
      => 203.0.113.7
    12:34:203.0.113.7:80: up
      => 203.0.113.7
    \#u{1b}[35m\#u{1b}[Kaccess.log\#u{1b}[m\#u{1b}[K\#u{1b}[36m\#u{1b}[K:\#u{1b}[m\#u{1b}[K\#u{1b}[32m\#u{1b}[K12\#u{1b}[m\#u{1b}[K\#u{1b}[36m\#u{1b}[K:\#u{1b}[m\#u{1b}[K\#u{1b}[01;31m\#u{1b}[K203.0.113.7\#u{1b}[m\#u{1b}[K - -
      => 203.0.113.7
    \#u{1b}[01;31m\#u{1b}[K2001:db8::7\#u{1b}[m\#u{1b}[K - - [20
      => 2001:db8::7
    a \#u{1b}[31m8.8\#u{1b}[0m.8.8
      =>
    \#u{1b}[0m\#u{1b}[32m8.8.8.8\#u{1b}[0m,\#u{1b}[32m::1\#u{1b}[0m
      => 8.8.8.8 ::1
    mongod: {"t":{"$date":"2026-11-20T18:55:36.123+00:00"},"c":"NETWORK","attr":{"remote":"10.0.0.5:51234"}}
      => 10.0.0.5
    LOG:  connection received: host=10.0.0.5 port=51234
      => 10.0.0.5
    redis: 7:M 20 Nov 2026 18:55:36.123 * Replica 10.0.0.6:6379 asks
      => 10.0.0.6
    Access denied for user 'root'@'203.0.113.7' (using password: YES)
      => 203.0.113.7
    ntpd: Soliciting pool server 203.0.113.123
      => 203.0.113.123
    C:\Temp\new 8.8.8.8 \\10.0.0.9\share
      => 8.8.8.8 10.0.0.9
    Exception at Foo::Bar::abc::add(std::vector)
      =>
    OID 1.3.6.1.4.1.8072 = 1.3.6.1.2
      =>
    docker.io/library/redis:6.2.7.1-alpine pulled
      =>
    snmp .1.3.6.1.2.1.1.3.0
      =>
    """#
  )

  /// Reads lines, each followed by one with an arrow and the addresses in it.
  private static func parsed(_ text: String) -> [(line: String, found: [String])] {
    let lines = text.split(separator: "\n").map(String.init)
    return stride(from: 0, to: lines.count, by: 2).map { index in
      (lines[index], lines[index + 1].split(separator: " ").dropFirst().map(String.init))
    }
  }
}
