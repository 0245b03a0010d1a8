/** What is done on the head node only. It is sourced. */
export const head = String.raw`# What is done on the head node only. It is sourced.
role_steps() {
  step 'create shared folders' make_folders
  wish 'format and mount disks' mount_disks
  step 'share folders' share_folders
  step "set up $FL_MANAGER" set_up_manager
  [ "$FL_MANAGER" != slurm ] || wish 'confine jobs' confine_jobs
  step 'start the cluster service' start_following
  [ "$FL_VNC" != yes ] || wish 'install remote desktops' install_desktop
  wish 'install requested packages' install_wanted
  wish 'run the provision script' provision
}

mount_disks() {
  failed=
  while read -r name size hints; do
    # Hints are device names without spaces: they are meant to be split.
    # shellcheck disable=SC2086
    [ -z "$name" ] || flotilla-disk attach "$name" "$size" $hints || failed="$failed $name"
  done <"$etc/disks"
  [ -z "$failed" ] || die "Could not mount disks:$failed"
}

control_folders() {
  install -d -m 0755 "$control" "$control/accounts" "$control/nodes" "$control/welcome" "$control/alive" "$control/reports" "$control/hostkeys"
  install -d -m 0700 "$control/secrets"
  [ -s "$control/generation" ] || echo 1 >"$control/generation"
  [ -e "$control/mounts" ] || : >"$control/mounts"
}

make_folders() {
  control_folders
  install -d -m 1777 /opt/shared
  [ "$FL_SHARE" = nfs ] || return 0
  for folder in /home /opt/shared; do
    grep -qxF "$folder" "$control/mounts" || echo "$folder" >>"$control/mounts"
  done
}

# The control folder always; homes and /opt/shared when people's files are to be shared.
share_folders() {
  install_part nfs
  if has_systemd; then systemctl enable --now nfs-server; fi
  export_folders
  allow_nfs_homes
}

export_folders() {
  mkdir -p /etc/exports.d
  for network in $(networks); do
    echo "$control $network(rw,sync,no_subtree_check,no_root_squash)"
    while read -r folder; do echo "$folder $network(rw,sync,no_subtree_check)"; done <"$control/mounts"
  done | put /etc/exports.d/flotilla.exports 0644
  exportfs -ra
}

install_desktop() { install_part vnc; }

# What comes in by OpenVPN reaches the nodes as if it came from the head node. Again at every start of the machine.
vpn_rule() { iptables -w -t nat "$1" POSTROUTING -s "$(cat "$etc/openvpn-network")" -j MASQUERADE; }
forward_vpn() {
  [ -s "$etc/openvpn-network" ] || return 0
  echo 1 >/proc/sys/net/ipv4/ip_forward
  ! has iptables || vpn_rule -C 2>/dev/null || vpn_rule -I
}

is_name() { matches "$1" '[a-z][a-z0-9-]*'; }
is_address() { matches "$1" '[0-9.]+'; }

# A node has written where it is. It may start its daemon as soon as its welcome is there.
take_in() { # file
  name=$(basename "$1")
  read -r address boot cores gpus <"$1" || return 0
  is_name "$name" && is_address "$address" || return 0
  cmp -s "$1" "$state/seen/$name" && return 0
  (set -e; welcome "$name" "$address" "$cores" "$gpus")
  # Not by "or": a shell goes on after a failure inside of that.
  # shellcheck disable=SC2181
  [ $? = 0 ] || return 0
  cp "$1" "$state/seen/$name"
  printf '%s\n' "$boot" | put "$control/welcome/$name" 0644
  echo "$name is at $address"
}

head_hosts() {
  echo "$(own_address) $FL_HEAD_NAME"
  for file in "$control"/nodes/*; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    read -r address rest <"$file" || continue
    is_name "$name" && is_address "$address" && echo "$address $name"
  done
}

# A name that leads nowhere makes a resource manager wait, or forget the node: the others get an address of nobody.
all_hosts() {
  known=$(head_hosts)
  printf '%s\n' "$known"
  all_nodes | while read -r name; do
    printf '%s\n' "$known" | grep -q " $name$" || echo "192.0.2.1 $name"
  done
}

keep_hosts() {
  # The network may come up later than this.
  [ -n "$(own_address)" ] || return 0
  hosts=$(all_hosts)
  write_hosts "$hosts"
  printf '%s\n' "$hosts" | cmp -s - "$control/hosts" || printf '%s\n' "$hosts" | put "$control/hosts" 0644
}

follow_role() {
  mkdir -p "$state/seen"
  forward_vpn 2>/dev/null
  control_folders
  while :; do
    keep_hosts
    tell_host_keys
    follow_host_keys
    for file in "$control"/nodes/*; do
      [ ! -f "$file" ] || take_in "$file"
    done
    sleep 1
  done
}
`
