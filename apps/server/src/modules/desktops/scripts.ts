/**
 * The scripts that run on the cluster as the user's own account. A desktop has a private folder in the account's home
 * with the password file of its VNC server, its X cookie and the socket that is its only access. The socket is always
 * addressed relative to the folder, because its full path may be too long for a socket.
 *
 * All processes of a desktop have its id in their environment, so they can be found and ended even by a console that
 * has lost all other data.
 */

/** The folder of all desktops in the account's home. */
export const FOLDER = '.flotilla/desktops'
/** The VNC server's socket in the folder of its desktop. */
export const SOCKET = 'rfb.sock'
const ROOT = `"$HOME/${FOLDER}"`

/** The supported sessions: complete desktops first, then plain window managers. */
const SESSIONS = 'startxfce4 mate-session startlxqt openbox icewm fluxbox'

/** Sets `missing` to the missing programs and `session` to the program of the session. */
const findPrograms = `missing= session=
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
has() { command -v "$1" >/dev/null 2>&1; }
has Xvnc || missing="$missing Xvnc"
for name in ${SESSIONS}; do has "$name" && { session=$name; break; }; done
[ -n "$session" ] || missing="$missing window-manager"
has perl || has python3 || missing="$missing perl"
if [ -n "$missing" ]; then
  echo "missing$missing"
  (. /etc/os-release; echo "system $ID $ID_LIKE") 2>/dev/null
  exit 0
fi
`

/** Prints the missing programs and the system, or nothing. */
export const checkScript = findPrograms

/** Ends the desktop in the folder `$1` with all of its processes. */
const endFolder = `end() {
  for signal in TERM TERM KILL KILL; do
    all=
    for file in $(grep -lsazx "FLOTILLA_DESKTOP=$1" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      all="$all \${file%/environ}"
    done
    [ -n "$all" ] || break
    kill -s "$signal" $all 2>/dev/null
    sleep 0.5
  done
  rm -rf -- ${ROOT}/"$1"
}
`
export const endScript = `${endFolder}
end "$1"
`

/**
 * Arguments: id, cluster, and \`detach\` unless it is started as a job. Input: the password file and the X cookie in
 * Base64 on one line each, then the run script. Idempotent per id.
 */
export const startScript = `umask 077
id=$1 cluster=$2
${findPrograms}
${endFolder}
mkdir -p ${ROOT} && cd ${ROOT} || exit
# A user has one desktop per cluster; any other was forgotten by its console.
for other in *; do
  [ "$other" != "$id" ] && [ "$(cat "$other/cluster" 2>/dev/null)" = "$cluster" ] && end "$other"
done
if mkdir "$id" 2>/dev/null; then
  cd "$id" || exit
  echo "$cluster" >cluster &&
    read -r line && printf %s "$line" | base64 -d >password &&
    read -r line && printf %s "$line" | base64 -d >xauthority &&
    cat >run || exit
  if [ "$3" = detach ]; then
    FLOTILLA_DESKTOP=$id setsid sh ./run "$PWD" </dev/null >log 2>&1 &
  fi
else
  cat >/dev/null
  cd "$id" || exit
fi
echo "folder $PWD"
`

/** Runs as long as the desktop. Its output goes to the log in its folder, which is kept if it fails to start. */
export const runScript = (id: string, idleS: number): string => `umask 077
cd -- "$1" || exit
${findPrograms}
export FLOTILLA_DESKTOP=${id}
Xvnc -displayfd 3 -rfbunixpath ${SOCKET} -rfbunixmode 0600 -rfbport -1 -SecurityTypes VncAuth -PasswordFile password \\
  -auth xauthority -AlwaysShared -geometry 1280x800 -depth 24 -desktop Desktop -nolisten tcp \\
  -MaxDisconnectionTime ${idleS} 3>display &
server=$!
trap 'kill "$server" 2>/dev/null' TERM INT HUP
tries=0
until [ -s display ]; do
  kill -0 "$server" 2>/dev/null && [ "$tries" -lt 200 ] || exit 1
  tries=$((tries + 1))
  sleep 0.1
done
folder=$PWD
export DISPLAY=":$(cat display)" XAUTHORITY="$folder/xauthority"
# For an account that the system does not know, bash shows "I have no name!" in the prompt.
id -un >/dev/null 2>&1 || export PROMPT_COMMAND='PS1=\${PS1//\\\\u/$USER}'
unset SESSION_MANAGER DBUS_SESSION_BUS_ADDRESS WAYLAND_DISPLAY
cd -- "$HOME" 2>/dev/null || cd /
umask 022
case $session in
  start* | mate-session)
    if has dbus-run-session; then dbus-run-session -- "$session" & else "$session" & fi
    main=$!
    ;;
  *)
    # A window manager alone shows an empty screen.
    has xterm && xterm -geometry 100x30+40+40 &
    "$session" &
    main=$!
    ;;
esac
# The desktop ends when the user logs out of the session or the X server ends.
wait "$main"
kill "$server" 2>/dev/null
wait "$server"
cd /
rm -rf -- "$folder"
`

const perlRelay = `use Socket;
my $left = shift; my $s;
until (socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un("${SOCKET}"))) {
  exit 4 if $left-- < 1;
  select undef, undef, undef, 0.1;
}
setsockopt(STDOUT, SOL_SOCKET, SO_SNDBUF, pack("l", 1048576));
sub copy { my ($from, $to) = @_; my $b;
  while (my $n = sysread($from, $b, 262144)) { my $at = 0; while ($at < $n) { my $w = syswrite($to, $b, $n - $at, $at); return unless defined $w; $at += $w } } }
my $child = fork;
if (!$child) { copy(*STDIN, $s); shutdown($s, 1); exit }
copy($s, *STDOUT);
kill 9, $child;`

const pythonRelay = `import os, signal, socket, sys, time
left = int(sys.argv[1])
while True:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect("${SOCKET}")
        break
    except OSError:
        if left < 1:
            sys.exit(4)
    left -= 1
    time.sleep(0.1)
def copy(a, b):
    while True:
        data = os.read(a, 262144)
        if not data:
            return
        while data:
            data = data[os.write(b, data):]
child = os.fork()
try:
    if child == 0:
        copy(0, s.fileno())
        s.shutdown(socket.SHUT_WR)
    else:
        copy(s.fileno(), 1)
except OSError:
    pass
if child:
    os.kill(child, signal.SIGKILL)`

/**
 * Connects its input and output to the socket of a desktop. Arguments: id, and how many tenths of a second to wait for
 * the socket, which does not accept connections immediately after it appears. Exits with 3 if there is no such desktop
 * and with 4 if nothing is listening.
 */
export const relayScript = `cd ${ROOT}/"$1" 2>/dev/null || exit 3
tries=0
until [ -S ${SOCKET} ]; do
  [ "$tries" -lt "$2" ] && [ -e run ] || exit 3
  tries=$((tries + 1))
  sleep 0.1
done
if command -v perl >/dev/null 2>&1; then exec perl -e '${perlRelay}' $(($2 - tries)); fi
exec python3 -c '${pythonRelay}' $(($2 - tries))
`

/** Prints the end of the log of a desktop that did not start. */
export const logScript = `tail -n 20 ${ROOT}/"$1"/log 2>/dev/null`
