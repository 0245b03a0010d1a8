/** Scripts that the console runs over SSH, except the one for accounts. */

/** Reads lines of `+name` and `-name` from stdin. On the head node, the other machines follow independently. */
export const packagesCommand = String.raw`#!/bin/sh
# flotilla-packages cluster|local: reads lines of +name (install) and -name (remove)
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
set -e
if [ -z "$FL_LOCKED" ]; then
  mkdir -p /run/flotilla
  FL_LOCKED=yes exec flock -o /run/flotilla/packages.lock "$0" "$@"
fi
unset FL_LOCKED
list=$(mktemp)
trap 'rm -f "$list"' EXIT
cat >"$list"
if grep -vxE '[+-][A-Za-z0-9][A-Za-z0-9.+:~_-]*' "$list" | grep -q .; then die 'Not a package list'; fi
if [ "$1" = cluster ]; then
  # The last entry for a package wins.
  { cat "$control/packages" 2>/dev/null || true; cat "$list"; } | awk '{ last[substr($0, 2)] = $0 } END { for (name in last) print last[name] }' |
    sort | put "$control/packages" 0644
fi
read_system
# shellcheck disable=SC2046
remove_packages $(sed -n 's/^-//p' "$list")
wanted=$(sed -n 's/^+//p' "$list")
# No retries: a package that does not exist will not appear.
try() { "$@"; }
# shellcheck disable=SC2086
if install_packages $wanted; then exit 0; fi
# Install the others anyway.
failed=
for package in $wanted; do install_packages "$package" || failed="$failed $package"; done
[ -z "$failed" ] || die "Could not install packages:$failed"
`

/**
 * Attaches or detaches a disk of the head node by name. The disk is found by its label, a device name or a serial
 * number, or because it is the only empty one of its size. A disk with any content is never formatted.
 */
export const diskCommand = String.raw`#!/bin/sh
# flotilla-disk attach <name> <GB> [device | serial:<number>]... | detach <name>
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
. "$lib/role.sh"
set -e
matches "$2" '[a-z][a-z0-9-]{0,31}' || die 'Not a valid disk name'
place=/mnt/$2
label=fl-$(printf '%s' "$2" | md5sum | cut -c 1-12)

plain() { printf '%s' "$1" | tr -d '-' | tr '[:upper:]' '[:lower:]'; }
by_serial() { lsblk -dpno NAME,SERIAL | while read -r device serial; do
  [ "$(plain "$serial")" != "$(plain "$1")" ] || echo "$device"
done; }
# Whether the disk has neither a file system nor any other data at its beginning.
is_empty() {
  [ "$(lsblk -no NAME "$1" | wc -l)" = 1 ] && ! blkid -p "$1" >/dev/null 2>&1 && [ "$(head -c 1048576 "$1" | tr -d '\000' | wc -c)" = 0 ]
}

# Only if no other disk of this size was requested: the two would be indistinguishable.
by_size() {
  [ "$(awk -v size="$1" '$2 == size' "$etc/disks" | wc -l)" -le 1 ] || return 0
  lsblk -dpnbo NAME,SIZE,TYPE | while read -r device bytes kind; do
    [ "$kind" = disk ] && [ "$bytes" = $(($1 * 1024 * 1024 * 1024)) ] && is_empty "$device" && echo "$device"
  done
}

find_disk() { # GB, hints
  size=$1
  shift
  device=
  for hint in "$@"; do
    case $hint in
      serial:*) device=$(by_serial "$(printf '%s' "$hint" | cut -c 8-)") ;;
      *) [ ! -b "$hint" ] || device=$(readlink -f "$hint") ;;
    esac
    [ -z "$device" ] || return 0
  done
  # Not first, because a disk of another cluster may have the same label.
  device=$(blkid -L "$label" || true)
  [ -z "$device" ] || return 0
  found=$(by_size "$size")
  [ "$(printf '%s\n' "$found" | grep -c .)" != 1 ] || device=$found
  [ -n "$device" ]
}

case $1 in
  attach)
    name=$2
    shift 2
    matches "$1" '[1-9][0-9]{0,5}' || die 'Not a valid disk size'
    if ! mountpoint -q "$place"; then
      tries=10
      until find_disk "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || die "The disk $name is not attached, or cannot be identified"
        sleep 3
      done
      if is_empty "$device"; then mkfs.ext4 -q -L "$label" "$device"; fi
      kind=$(blkid -p -s TYPE -o value "$device" || true)
      case $kind in ext4 | xfs) ;; *) die "The disk $name contains data but no file system. It was not changed" ;; esac
      uuid=$(blkid -p -s UUID -o value "$device")
      { awk -v place="$place" '$2 != place' /etc/fstab; echo "UUID=$uuid $place $kind defaults,nofail 0 2"; } | put /etc/fstab 0644
      mkdir -p "$place"
      mount "$device" "$place"
      chmod 1777 "$place"
    fi
    if [ "$FL_SHARE" = nfs ]; then
      grep -qxF "$place" "$control/mounts" || echo "$place" >>"$control/mounts"
      ! has exportfs || export_folders
    fi
    ;;
  detach)
    awk -v place="$place" '$0 != place' "$control/mounts" | put "$control/mounts" 0644
    ! has exportfs || export_folders
    awk -v place="$place" '$2 != place' /etc/fstab | put /etc/fstab 0644
    ! mountpoint -q "$place" || umount "$place"
    ;;
  *) die 'flotilla-disk attach <name> <GB> [device | serial:<number>]... | detach <name>' ;;
esac
`

/** The server's configuration with all its keys is passed on stdin, so that it is not stored anywhere else. */
export const openvpnCommand = String.raw`#!/bin/sh
# flotilla-openvpn on <network of the clients> | off
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
set -e
. "$lib/firewall.sh"
conf=/etc/openvpn/server/flotilla.conf
case $1 in
  on)
    matches "$2" '[0-9.]+/[0-9]+' || die 'Not a network'
    read_system
    install_part openvpn
    mkdir -p /etc/openvpn/server
    put "$conf" 0600
    [ -s "$conf" ] || die 'No configuration was given'
    echo 'net.ipv4.ip_forward = 1' | put /etc/sysctl.d/90-flotilla.conf 0644
    printf '%s\n' "$2" | put "$etc/openvpn-network" 0644
    forward_vpn
    unit flotilla-openvpn 'OpenVPN of a Flotilla cluster' "/usr/sbin/openvpn --config $conf" 'Restart=on-failure'
    serve flotilla-openvpn openvpn --config "$conf"
    sleep 2
    is_serving flotilla-openvpn || die 'OpenVPN does not start'
    ;;
  off)
    stop_serving flotilla-openvpn
    stop_forwarding_vpn
    rm -f "$conf" "$etc/openvpn-network"
    ;;
  *) die 'flotilla-openvpn on <network of the clients> | off' ;;
esac
`

/** The Slurm operations that the console runs on the head node, besides the scheduler's own commands. */
export const slurmCommand = String.raw`#!/bin/sh
# flotilla-slurm configure | wake <node>... | sleep <node>... | fail <reason> <node>... | allow <node>...
. /usr/local/lib/flotilla/lib.sh
. "$lib/role.sh"
. "$lib/manager.sh"
set -e

# A new slurm.conf is passed on stdin: nodes were added or removed, or bursting was changed.
configure() {
  put "$state/slurm.conf" 0644
  grep -q '^ClusterName=' "$state/slurm.conf" || die 'Not a Slurm configuration'
  ! cmp -s "$state/slurm.conf" "$control/slurm.conf" || return 0
  use_here "$state/slurm.conf"
  if slurm_starts; then
    # Running nodes apply it on their own.
    put "$control/slurm.conf" 0644 <"$state/slurm.conf"
    return 0
  fi
  # Roll back: the previous configuration is better than no cluster.
  use_here "$control/slurm.conf"
  slurm_starts || die 'The Slurm controller does not start, not even with its previous configuration'
  die "The Slurm controller does not start with the new configuration, so the previous one was restored. See $logs/slurmctld.log"
}

slurm_starts() {
  tries=30
  gone=0
  until slurm_answers; do
    if is_serving slurmctld; then gone=0; else gone=$((gone + 1)); fi
    tries=$((tries - 1))
    [ "$gone" -lt 3 ] && [ "$tries" -gt 0 ] || return 1
    sleep 1
  done
}

use_here() { # file
  use_slurm_conf "$1"
  keep_hosts
  serve slurmctld slurmctld -D
}

is_leaving() { slurm_state "$1" | grep -qE 'POWERING_DOWN|POWERED_DOWN'; }

action=$1
[ $# = 0 ] || shift
[ "$action" != fail ] || { reason=$1; shift; }
for name in "$@"; do is_name "$name" || die 'Not a node name'; done
nodes=$(echo "$@" | tr ' ' ,)
case $action in
  configure) configure ;;
  wake) scontrol update nodename="$nodes" state=power_up ;;
  # Slurm expects machines that do not exist. It powers down only nodes that it considers idle.
  sleep)
    scontrol update nodename="$nodes" state=down reason='not started'
    scontrol update nodename="$nodes" state=resume
    scontrol update nodename="$nodes" state=power_down_force 2>/dev/null || scontrol update nodename="$nodes" state=power_down
    ;;
  # The node did not start: its jobs are requeued, and it gets no new ones until "allow".
  fail)
    if scontrol update nodename="$nodes" state=power_down_force reason="$reason" 2>/dev/null; then
      # Powering down clears the drain, so wait for it before draining.
      for name in "$@"; do (wait_for 15 "$name was not released" is_leaving "$name") || true; done
    else
      scontrol update nodename="$nodes" state=down reason="$reason"
    fi
    scontrol update nodename="$nodes" state=drain reason="$reason"
    ;;
  allow) scontrol update nodename="$nodes" state=resume ;;
  *) die 'flotilla-slurm configure | wake <node>... | sleep <node>... | fail <reason> <node>... | allow <node>...' ;;
esac
`

/**
 * Slurm runs this when it requests or releases nodes: it writes one file per request, which the console reads over its
 * own connection. Slurm gives these programs an empty environment.
 */
export const requestCommand = String.raw`#!/bin/sh
# flotilla-resume | flotilla-suspend <nodes, as Slurm writes them>
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
exec </dev/null
umask 007
action=$(basename "$0" | cut -d- -f2)
folder=/var/spool/flotilla/requests
name=$(date +%s%N)-$$
names=$(scontrol show hostnames "$1") || exit 1
{
  printf '{"action":"%s","time":%s000,"nodes":[' "$action" "$(date +%s)"
  printf '%s\n' "$names" | sed 's/.*/"&"/' | paste -s -d ,
  printf '],"jobs":'
  # Newer versions of Slurm report the jobs that wait for the nodes.
  if [ "$action" = resume ] && [ -s "$SLURM_RESUME_FILE" ]; then cat "$SLURM_RESUME_FILE"; else echo null; fi
  printf '}\n'
} >"$folder/.$name.new" && sync "$folder/.$name.new" && mv "$folder/.$name.new" "$folder/$name.json"
`

/** Slurm does not know the UUIDs of GPU partitions: sets those of the partitions that the job was allocated. */
export const taskProlog = String.raw`#!/bin/sh
parts=/var/lib/flotilla/gpu-parts
[ -s "$parts" ] && [ -n "$CUDA_VISIBLE_DEVICES" ] || exit 0
mine=
for number in $(echo "$CUDA_VISIBLE_DEVICES" | tr , ' '); do
  mine="$mine,$(sed -n "$((number + 1))p" "$parts")"
done
echo "export CUDA_VISIBLE_DEVICES=$(echo "$mine" | cut -c 2-)"
`
