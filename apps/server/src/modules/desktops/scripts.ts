/**
 * What runs on the cluster, as the person's own account. A desktop has a folder of its own in the account's home, readable by no one
 * else: the password file of its VNC server, its X cookie and the socket through which alone it is reached. The socket is always
 * named from within the folder, because a full path may be longer than a socket's name can be.
 *
 * All of its processes have its id in their environment: that is how they are found when the desktop is to end, also by a
 * console that has lost everything else.
 */

/** In the account's home. */
export const FOLDER = '.flotilla/desktops'
/** Of the VNC server, in the folder of its desktop. */
export const SOCKET = 'rfb.sock'
const ROOT = `"$HOME/${FOLDER}"`

/** Whole desktops first, then window managers alone. */
const SESSIONS = 'startxfce4 mate-session startlxqt openbox icewm fluxbox'

/** Puts what is missing into `missing`, the program of the session into `session`. */
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

/** Prints nothing, or what is missing and on which system. */
export const checkScript = findPrograms

/** Ends the desktop in the folder `$1`, with everything that was started in it. */
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
 * Arguments: id, cluster, and \`detach\` where it is not started as a job. Input: the password file and the X cookie in Base64, a line
 * each, then the run script. Starting the same one twice starts it once.
 */
export const startScript = `umask 077
id=$1 cluster=$2
${findPrograms}
${endFolder}
mkdir -p ${ROOT} && cd ${ROOT} || exit
# Of a person there is one desktop on a cluster: any other is one that its console has forgotten.
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

/** Stays for as long as the desktop. What it says goes to the log in its folder, which stays when the desktop did not come up. */
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
# bash greets an account that is in no list of the system with "I have no name!".
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
# It ends when the person logs out of it, and when its screen is gone.
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
 * Connects its input and output with the socket of a desktop. Arguments: id, and for how many tenths of a second to wait for the
 * socket, which accepts no connections in the first moment after it appears. Exits with 3 when there is no such desktop, with 4
 * when nothing listens.
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

/** The end of what a desktop that did not come up has said. */
export const logScript = `tail -n 20 ${ROOT}/"$1"/log 2>/dev/null`
