/**
 * Slurm runs this on each node before it joins and then every minute: a node that cannot run jobs gets none, and
 * reports why. A node that was drained by this check is resumed when the cause is fixed.
 */
export const health = String.raw`#!/bin/sh
. /usr/local/lib/flotilla/lib.sh
. "$lib/role.sh"
mark='Health check:'

problem() {
  [ "$FL_GPUS" = 0 ] || look_for_gpus
  folders=$(timeout 20 cat "$control/mounts") || die "The head node's shared folders do not respond"
  for folder in $folders; do
    timeout 20 mountpoint -q "$folder" || die "$folder is not mounted"
  done
  for folder in /var/lib/slurm /tmp; do
    [ "$(df -P "$folder" | awk 'NR == 2 { print $5 + 0 }')" -lt 98 ] || die "The disk with $folder is full"
  done
}

found=$( (set -e; problem) 2>&1 >/dev/null) && found=
node=$(timeout 20 scontrol -o show node "$FL_NAME")
case "$found $node" in
  ' '*"Reason=$mark"*) scontrol update nodename="$FL_NAME" state=resume ;;
  ' '* | *State=*DRAIN*) ;;
  *) scontrol update nodename="$FL_NAME" state=drain reason="$mark $(printf '%s' "$found" | tail -n 1 | cut -c 1-300)" ;;
esac
`
