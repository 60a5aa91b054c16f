#!/bin/bash
# Tries what the package installed, as root of a fresh Debian without a network, and purges it.
set -euo pipefail
trap 'echo "line $LINENO failed"; journalctl --no-pager -n 30 -u "sonde-*"' ERR

within() { # seconds, then a command that is to hold until then
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

version() { dpkg-query --show --showformat '${Version}' sonde; }
process() { systemctl show --property=MainPID --value "$1"; }
is_new() { # a service, and the process that it was
  systemctl is-active --quiet "$1" && [[ $(process "$1") != "$2" && $(readlink "/proc/$(process "$1")/exe") == /usr/bin/sonde ]]
}

echo "== upgrade"
test "$(version)" = 0.1.0
echo '# of the admin' >>/etc/sonde/config
systemctl start sonde-watch sonde-serve
within 10 sonde serve link --state /var/lib/sonde/serve >/tmp/link
watch=$(process sonde-watch) serve=$(process sonde-serve)
dpkg --install /sonde.deb >/tmp/upgrade 2>&1 || { cat /tmp/upgrade; false; }
test "$(version)" = "$(dpkg-deb --field /sonde.deb Version)"
within 10 is_new sonde-watch "$watch"
within 10 is_new sonde-serve "$serve"
within 10 sonde serve link --state /var/lib/sonde/serve >/tmp/link
tail -n 1 /etc/sonde/config | grep -qx '# of the admin'
# One that does not run is not begun.
systemctl stop sonde-watch sonde-serve
dpkg --install /sonde.deb >/tmp/upgrade 2>&1 || { cat /tmp/upgrade; false; }

echo "== commands, manual, completion, configuration"
sonde --version | grep -Eqx 'sonde [0-9]+\.[0-9]+\.[0-9]+'
sonde lookup 10.0.0.1 --provider local --format csv --fields ip,status | grep -qx '10.0.0.1,reserved'
printf 'from 8.8.8.8 port 1\n' | sonde extract | grep -qx 8.8.8.8
for page in sonde sonde-scan sonde-serve; do man "$page" | grep -q '^NAME'; done
whatis sonde-lookup | grep -q 'show what is known'
bash -ic '. /usr/share/bash-completion/bash_completion; _completion_loader sonde; complete -p sonde' 2>/dev/null | grep -q sonde
test -s /usr/share/zsh/vendor-completions/_sonde
test -s /usr/share/fish/vendor_completions.d/sonde.fish
echo 'timeout = never' >>/etc/sonde/config
status=0
sonde lookup 8.8.8.8 >/tmp/out 2>&1 || status=$?
test $status = 2
grep -q '/etc/sonde/config' /tmp/out
sed -i '$d' /etc/sonde/config

echo "== libraries"
# None is loaded from beside the program or from the working folder.
mkdir /tmp/planted
cp /usr/bin/sonde /tmp/planted
for library in $(ldd /usr/bin/sonde | awk '$2 == "=>" { print $1 }') libcurl.so.4 libhiredis.so.0.14 libhiredis.so.1.1.0; do
  echo 'no library' >"/tmp/planted/$library"
done
cd /tmp/planted
./sonde --version >/dev/null
./sonde me --offline-timeout 0 --retries 0 >/tmp/out 2>&1 || true
if grep -i 'librar' /tmp/out; then false; fi
cd /
rm -r /tmp/planted

# Each that is loaded later is there, under its name in this release.
printf 'from 8.8.8.8 port 1\n' >/tmp/log
printf 'BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00' >/tmp/log.bz2
printf '\xfd7zXZ\x00' >/tmp/log.xz
printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00\x00' >/tmp/log.pcap
head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \n' >/tmp/key
chmod 0600 /tmp/key
offline=(--offline-timeout 0 --retries 0)
loads() { # a library, then a command that needs it
  LD_DEBUG=files LD_DEBUG_OUTPUT=/tmp/loading timeout 20 sonde "${@:2}" >/tmp/out 2>&1 </dev/null || true
  if grep 'cannot be loaded' /tmp/out; then false; fi
  grep -q "calling init: .*/$1" /tmp/loading.* || { echo "$1 was not loaded:"; cat /tmp/out; false; }
  rm -f /tmp/loading.*
}
loads libloc.so.1 lookup --provider local 8.8.8.8
grep -q 8.8.8.8 /tmp/out
loads libmaxminddb.so.0 lookup --provider local --database /some.mmdb 8.8.8.8
loads libcurl.so.4 scan --provider ip-api "${offline[@]}" 8.8.8.8
loads libcares.so.2 scan --provider local --with names "${offline[@]}" 8.8.8.8
loads libhiredis.so. cache list --shared redis://127.0.0.1:9
loads libssl.so.3 cache list --shared rediss://127.0.0.1:9
loads libcrypto.so.3 check --anonymize pseudonym --anonymize-key /tmp/key 8.8.8.8
loads libbz2.so.1 extract /tmp/log.bz2
loads liblzma.so.5 extract /tmp/log.xz
loads libpcap.so. extract /tmp/log.pcap
loads libpcre2-8.so.0 guard --replay /tmp/log --provider local --capture '(?<name>port \d+)' --by name --when 'name = "port 1"' --count 1

echo "== services"
# A key that only root may read serves them.
echo 'ipinfo-token = s3cr3t-t0ken' >>/etc/sonde/config
chmod 0600 /etc/sonde/config
for service in sonde-watch sonde-serve; do
  ! systemctl is-enabled --quiet $service
  ! systemctl is-active --quiet $service
  systemd-analyze verify /lib/systemd/system/$service.service 2>&1 | tee /tmp/verify
  if grep -q 'ignoring' /tmp/verify; then false; fi
  systemd-analyze security --threshold=20 $service.service >/tmp/security || { cat /tmp/security; false; }
  tail -n 1 /tmp/security
  systemctl start $service
done
# What loads a library at first use finds it.
within 10 sonde serve link --state /var/lib/sonde/serve >/tmp/link
grep -q '^http://127.83.1.1:8053/#open=' /tmp/link
journalctl --unit=sonde-serve | grep -q 'Open it with: sonde serve link --state /var/lib/sonde/serve$'
test "$(journalctl --unit=sonde-serve | grep -c '#open=')" = 0
exec 3<>/dev/tcp/127.83.1.1/8053
printf 'GET / HTTP/1.1\r\nHost: 127.83.1.1:8053\r\nConnection: close\r\n\r\n' >&3
head -n 1 <&3 | grep -q '200'
exec 3>&-
within 10 test -d /var/lib/private/sonde
sleep 2
for service in sonde-watch sonde-serve; do
  systemctl is-active --quiet $service
  test "$(systemctl show --property=NRestarts --value $service)" = 0
  systemctl show --property=User --value $service | grep -qx sonde
done
systemctl stop sonde-serve
test "$(systemctl show --property=ExecMainStatus --value sonde-serve)" = 0
# Nor do they need the file.
mv /etc/sonde/config /tmp/config
systemctl start sonde-serve
systemctl restart sonde-watch
within 10 sonde serve link --state /var/lib/sonde/serve >/tmp/link
sleep 2
for service in sonde-watch sonde-serve; do
  systemctl is-active --quiet $service
  test "$(systemctl show --property=NRestarts --value $service)" = 0
done
mv /tmp/config /etc/sonde/config
systemctl stop sonde-serve

echo "== a guard of a log that rotates"
systemd-analyze verify /lib/systemd/system/sonde-guard@.service 2>&1 | tee /tmp/verify
if grep -q 'ignoring' /tmp/verify; then false; fi
mkdir -p /etc/sonde/guard
sed '/^SONDE_COUNT=/d' /usr/share/doc/sonde/examples/guard.env >/etc/sonde/guard/sshd.env
install -m 0640 -g adm /dev/null /var/log/auth.log
guard=sonde-guard@sshd
fail() { # an address that fails to log in
  printf '%s gate sshd[7]: Failed password for root from %s port 22 ssh2\n' "$(LC_ALL=C date '+%b %e %T')" "$1" >>/var/log/auth.log
}
raised() { journalctl --unit=$guard --output=cat | grep -o ',"ip":"[0-9.]*","input"' | cut -d , -f 2; }
is_raised() { raised | grep -qxF "\"ip\":\"$1\""; }
rotate() { # with which directive
  printf '/var/log/auth.log {\n rotate 9\n %s\n}\n' "$1" >/tmp/rotate.conf
  logrotate --force --state /tmp/rotated /tmp/rotate.conf
}
# What is there when it begins is passed over.
fail 9.0.0.99
systemctl enable --quiet --now $guard
within 10 test -s /var/lib/sonde/guard/sshd/state.db
sleep 2
fail 9.0.0.1
within 10 is_raised 9.0.0.1
rotate 'create 0640 root adm'
fail 9.0.0.2
within 10 is_raised 9.0.0.2
rotate copytruncate
fail 9.0.0.3
within 10 is_raised 9.0.0.3
# Rotated twice while nobody reads.
systemctl stop $guard
fail 9.0.0.4
rotate 'create 0640 root adm'
fail 9.0.0.5
rotate copytruncate
fail 9.0.0.6
systemctl start $guard
for last in 4 5 6; do within 10 is_raised 9.0.0.$last; done
before=$(process $guard)
systemctl kill --signal=KILL $guard
rotate copytruncate
fail 9.0.0.7
within 20 is_raised 9.0.0.7
test "$(process $guard)" != "$before"
systemctl show --property=User --value $guard | grep -qx sonde
raised | sort >/tmp/raised
printf '"ip":"9.0.0.%s"\n' 1 2 3 4 5 6 7 | diff - /tmp/raised
# What the admin wrote stays until the admin removes it.
rm -r /etc/sonde/guard

echo "== a timer, as the manual has it"
systemd-analyze verify /etc/systemd/system/sonde-list.* 2>&1 | tee /tmp/verify
test ! -s /tmp/verify
list=/srv/sonde/list-$(date +%F).csv
said() { journalctl --unit=sonde-list --identifier=sonde --identifier=sh --output=cat; }
ends() { # in a state, with a result and a status
  systemctl show --property=SubState,Result,ExecMainStatus sonde-list | sort | diff - <(printf '%s\n' "ExecMainStatus=$3" "Result=$2" "SubState=$1")
}
made() { # addresses: those in the file of today
  cut -d , -f 1 "$list" | tail -n +2 | diff - <(printf '%s\n' "$@")
}
mkdir /srv/sonde
echo 'provider = local' >>/etc/sonde/config
printf '8.8.8.8\n1.1.1.1\n' >/srv/sonde/list.txt
# The machine was off for two nights.
mkdir -p /var/lib/systemd/timers
touch -d '2 days ago' /var/lib/systemd/timers/stamp-sonde-list.timer
systemctl daemon-reload
systemctl start sonde-list.timer
within 10 test -s "$list"
within 10 ends dead success 0 >/dev/null
made 8.8.8.8 1.1.1.1
systemctl show --property=NextElapseUSecRealtime --value sonde-list.timer | grep -q ' 02:30:00 '
# Again, and after a change.
systemctl start sonde-list
made 8.8.8.8 1.1.1.1
printf '9.9.9.9\n8.8.8.8\n5.0.0.1\n' >/srv/sonde/list.txt
systemctl start sonde-list
made 9.9.9.9 8.8.8.8 5.0.0.1
test -z "$(said)"
# The network is lost: the job waits, and the timer begins no other beside it.
sed -i '$s/local/ip-api/' /etc/sonde/config
printf '9.9.9.10\n' >/srv/sonde/list.txt
systemctl start --no-block sonde-list
sleep 2
ends start success 0
before=$(process sonde-list)
systemctl start --no-block sonde-list
sleep 1
test "$before" = "$(process sonde-list)"
# Killed, it begins anew the next time.
systemctl kill --signal=KILL sonde-list
within 10 ends failed signal 9 >/dev/null
echo 'offline-timeout = 1s' >>/etc/sonde/config
! systemctl start sonde-list
ends failed exit-code 3
sed -i '$d; s/^provider = ip-api$/provider = local/' /etc/sonde/config
# A full disk. systemd would start it no sixth time in ten seconds.
systemctl reset-failed sonde-list
mount -t tmpfs -o size=4k none /srv/sonde
printf '8.8.8.8\n' >/srv/sonde/list.txt
! systemctl start sonde-list
ends failed exit-code 5
said | tail -n 1 | grep 'No space left on device' >/dev/null
umount /srv/sonde
systemctl stop sonde-list.timer
rm -r /srv/sonde /root/.cache/sonde /etc/systemd/system/sonde-list.* /var/lib/systemd/timers/*
sed -i '$d' /etc/sonde/config

echo "== purge"
apt-get -qq purge --yes sonde >/dev/null
left=$(find / -xdev -name '*sonde*' -not -path '/proc/*' -not -path '/var/cache/man/*' \
  -not -path '/var/log/*' -not -path '/sys/*' -not -path '/var/lib/apt/*' -not -path '/tmp/*' \
  -not -name '*.deb')
test -z "$left" || { echo "left: $left"; false; }
! systemctl is-active --quiet $guard
echo "all of it holds"
