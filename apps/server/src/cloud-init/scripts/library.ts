/** What the scripts on a machine share. The script is sourced, and contains no user input. Tests set FL_ROOT. */
export const library = String.raw`# What Flotilla's scripts on this machine share. It is sourced.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
umask 022
etc=$FL_ROOT/etc/flotilla
lib=/usr/local/lib/flotilla
state=/var/lib/flotilla
# From the head node to nodes, which can only read it; from nodes to the head node; what only root of a node may read.
control=/srv/flotilla
inbox=/srv/flotilla-inbox
secrets=/srv/flotilla-secrets
# NFS maps root of a node to this account, which owns the nodes' files on the head node.
nodes_uid=64031
logs=/var/log/flotilla
spool=/var/spool/flotilla
. "$etc/machine.env"

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

has_systemd() { [ -d /run/systemd/system ]; }
has() { command -v "$1" >/dev/null 2>&1; }

# Whether the text is a single line that matches the pattern as a whole.
matches() { # text, pattern
  case $1 in *'
'*) return 1 ;; esac
  printf '%s' "$1" | grep -qxE -- "$2"
}

# Replaces the file atomically with stdin; concurrent writers each use their own temporary file.
put() { # file, permissions
  draft=$(dirname "$1")/.$(basename "$1").flotilla.$$
  (umask 077 && cat >"$draft") && chmod "$2" "$draft" && mv -f "$draft" "$1" && return
  rm -f "$draft"
  return 1
}

# Retries: mirrors and networks fail intermittently.
try() {
  for pause in 5 10 20 40; do
    "$@" && return 0
    sleep "$pause"
  done
  "$@"
}

wait_for() { # seconds, words, command
  left=$1
  what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || die "$what"
    sleep 1
  done
}

# Runs the program as a service, or in the background without systemd. It must not daemonize.
serve() { # name, program, arguments
  service=$1
  shift
  if has_systemd; then
    systemctl daemon-reload
    systemctl reset-failed "$service" 2>/dev/null || true
    systemctl enable "$service"
    systemctl restart "$service"
    return
  fi
  stop_serving "$service"
  mkdir -p /run/flotilla
  setsid "$@" </dev/null >>"$logs/$service.log" 2>&1 &
  echo $! >"/run/flotilla/$service.pid"
}

is_serving() {
  if has_systemd; then
    systemctl is-active --quiet "$1"
  else
    [ -s "/run/flotilla/$1.pid" ] && kill -0 "$(cat "/run/flotilla/$1.pid")" 2>/dev/null
  fi
}

stop_serving() {
  if has_systemd; then
    systemctl disable --now "$1" || true
  elif is_serving "$1"; then
    kill "$(cat "/run/flotilla/$1.pid")"
    wait_for 30 "$1 does not end" not_serving "$1"
  fi
}
not_serving() { ! is_serving "$1"; }

# Our own unit overrides the distribution's, so that it is the same everywhere.
unit() { # name, what it is, command, more lines for the service
  has_systemd || return 0
  put "/etc/systemd/system/$1.service" 0644 <<UNIT
[Unit]
Description=$2
After=network-online.target remote-fs.target munge.service
Wants=network-online.target

[Service]
ExecStart=$3
$4

[Install]
WantedBy=multi-user.target
UNIT
}

head_address() { head -n 1 "$etc/head" 2>/dev/null; }

own_address() {
  to=$(head_address)
  [ "$FL_ROLE" = node ] || to=
  if [ -z "$to" ]; then
    ip -4 route get 192.0.2.1 2>/dev/null | sed -n 's/.* src \([0-9.]*\).*/\1/p' | grep . ||
      ip -4 -o addr show scope global | sed -n 's/.* inet \([0-9.]*\).*/\1/p' | head -n 1
  else
    ip -4 route get "$to" | sed -n 's/.* src \([0-9.]*\).*/\1/p'
  fi
}

# The cluster's networks; if the console did not set any, the one that contains this machine's address.
networks() {
  if ! tr ' ' '\n' 2>/dev/null <"$etc/networks" | grep -xE '([0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}'; then
    device=$(ip -4 -o addr show | grep -F " inet $(own_address)/" | awk '{ print $2; exit }')
    ip -4 route show dev "$device" scope link | awk '$1 ~ /\// { print $1; exit }'
  fi
}

# Writes the cluster's names between two markers in /etc/hosts, without changing the rest.
write_hosts() { # lines of "address name"
  { sed -e '/^# flotilla begin$/,/^# flotilla end$/d' -e '/^127\.0\.1\.1[[:space:]]/d' /etc/hosts
    echo '# flotilla begin'
    printf '%s\n' "$1"
    echo '# flotilla end'; } >"$state/hosts.$$"
  if ! cmp -s "$state/hosts.$$" /etc/hosts; then
    cp "$state/hosts.$$" /etc/hosts.flotilla.$$
    mv -f /etc/hosts.flotilla.$$ /etc/hosts 2>/dev/null || cat "$state/hosts.$$" >/etc/hosts
  fi
  rm -f "$state/hosts.$$" /etc/hosts.flotilla.$$
}
`
