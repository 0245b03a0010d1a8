import type { TestMachine } from './machines'

/**
 * A stand-in for NFS, which many kernels lack. A server on the head node checks the client's address against
 * /etc/exports.d, over the network and through the firewalls. `mount -t nfs` then bind-mounts the folder with the
 * options of the export: read-only, and with root squashed to an account by an idmapped mount.
 */
const server = `
const net = require('node:net')
const fs = require('node:fs')
const rules = () => fs.readFileSync('/etc/exports.d/flotilla.exports', 'utf8').trim().split('\\n')
net.createServer((socket) => {
  socket.on('error', () => {}).setEncoding('utf8').once('data', (asked) => {
    const from = socket.remoteAddress
    const rule = rules().map((line) => /^(\\S+) ([\\d.]+)\\/(\\d+)\\((.*)\\)$/.exec(line)).find((found) => {
      const list = new net.BlockList()
      if (found) list.addSubnet(found[2], Number(found[3]))
      return found && found[1] === asked && list.check(from)
    })
    socket.end(rule ? rule[4] : 'refused')
  })
}).listen(2049, '0.0.0.0')
`

const query = `
const [host, folder] = process.argv.slice(2)
require('node:net').connect(2049, host, function () { this.write(folder) })
  .setTimeout(3000, () => process.exit(1)).on('error', () => process.exit(1)).pipe(process.stdout)
`

/** Mounts a folder so that root acts as the account that it is squashed to; that account is the only one mapped. */
const squash = `
my ($from, $to, $uid, $flags) = @ARGV;
open(my $users, "<", "/run/elsewhere/root-is-$uid") or die "$uid: $!";
my $tree = syscall(428, -100, $from, 1);
$tree >= 0 or die "open_tree: $!";
my $attributes = pack("QQQQ", 0x100000 | $flags, 0, 0, fileno($users));
my $nothing = "";
syscall(442, $tree, $nothing, 0x1000, $attributes, 32) == 0 or die "mount_setattr: $!";
syscall(429, $tree, $nothing, -100, $to, 4) == 0 or die "move_mount: $!";
`

const mount = `#!/bin/sh
# mount.nfs <head node>:<folder> <place> -o <options>
folder=$(echo "$1" | cut -d: -f2)
options=$(node /usr/local/lib/nfs-ask.js "$(echo "$1" | cut -d: -f1)" "$folder") || { echo 'mount.nfs: Connection timed out' >&2; exit 32; }
case $options in
  refused) echo "mount.nfs: access denied by server while mounting $1" >&2; exit 32 ;;
  *anonuid=*) exec perl /usr/local/lib/nfs-squash.pl "/run/elsewhere/files$folder" "$2" "$(echo "$options" | sed 's/.*anonuid=\\([0-9]*\\).*/\\1/')" "$(case $options in ro*) echo 1 ;; *) echo 0 ;; esac)" ;;
  *) exec mount --bind "/run/elsewhere/files$folder" "$2" ;;
esac
`

/** Installs the stand-in before the setup of the machine; `apt-get` does nothing, as no packages are needed. */
export async function standInForNfs(machine: TestMachine): Promise<void> {
  const put = (file: string, text: string) =>
    machine.run(['sh', '-c', 'cat >"$0" && chmod 0755 "$0"', file], { stdin: text })
  await put('/usr/local/sbin/apt-get', '#!/bin/sh\nexit 0\n')
  await put('/usr/local/sbin/exportfs', '#!/bin/sh\nexit 0\n')
  await put('/usr/local/lib/nfs-ask.js', query)
  await put('/usr/local/lib/nfs-squash.pl', squash)
  await put('/usr/sbin/mount.nfs', mount)
}

export const serveNfs = (head: TestMachine) =>
  head.run(
    ['sh', '-c', 'cat >/usr/local/lib/nfs.js; setsid node /usr/local/lib/nfs.js >/tmp/nfs.log 2>&1 &'],
    {
      stdin: server,
    },
  )
