/** The steps that only the head node runs. The script is sourced. */
export const head = String.raw`# What is done on the head node only. It is sourced.
role_steps() {
  step 'create shared folders' make_folders
  wish 'format and mount disks' mount_disks
  step 'share folders' share_folders
  wish 'mount file systems' mount_file_systems
  step "set up $FL_MANAGER" set_up_manager
  [ "$FL_MANAGER" != slurm ] || wish 'confine jobs' confine_jobs
  step 'start the cluster service' start_following
  [ "$FL_VNC" != yes ] || wish 'install remote desktops' install_desktop
  wish 'install MPI' install_mpi
  [ "$FL_MANAGER" != slurm ] || wish 'let srun start MPI programs' use_mpi
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
  getent group flotilla-nodes >/dev/null || groupadd --system --gid "$nodes_uid" flotilla-nodes
  getent passwd flotilla-nodes >/dev/null ||
    useradd --system --uid "$nodes_uid" --gid flotilla-nodes --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin flotilla-nodes
  install -d -m 0755 "$control" "$control/accounts" "$control/welcome" "$inbox"
  install -d -m 0700 -o flotilla-nodes -g flotilla-nodes "$inbox/nodes" "$inbox/alive" "$inbox/reports" "$inbox/hostkeys"
  install -d -m 0500 -o flotilla-nodes -g flotilla-nodes "$secrets"
  : >"$control/inbox"
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

# The control folders are always shared, /home and /opt/shared only if the cluster shares users' files.
share_folders() {
  install_part nfs
  if has_systemd; then systemctl enable --now nfs-server; fi
  export_folders
  allow_nfs_homes
}

export_folders() {
  mkdir -p /etc/exports.d
  squashed=sync,no_subtree_check,root_squash,anonuid=$nodes_uid,anongid=$nodes_uid
  for network in $(networks); do
    echo "$control $network(ro,$squashed)"
    echo "$secrets $network(ro,$squashed)"
    echo "$inbox $network(rw,$squashed)"
    while read -r folder; do echo "$folder $network(rw,sync,no_subtree_check)"; done <"$control/mounts"
  done | put /etc/exports.d/flotilla.exports 0644
  exportfs -ra
}

install_desktop() { install_part vnc; }

is_name() { matches "$1" '[a-z][a-z0-9-]*'; }
is_address() { matches "$1" '[0-9.]+'; }

# Collects the nodes' reports, one line each. Read as their account, so that a symlink cannot expose our files.
listen() {
  timeout 20 setpriv --reuid "$nodes_uid" --regid "$nodes_uid" --clear-groups /bin/sh -c '
    for kind in nodes hostkeys; do
      cd "$1/$kind" || exit
      for name in *; do
        [ ! -f "$name" ] || while read -r line; do echo "$kind $name $line"; done <"$name"
      done
    done' listen "$inbox" | head -c 4000000 | put /run/flotilla/said 0644
}

# Admits a node that reported its address. It starts its daemon once its admission file exists.
take_in() { # name, address, boot, cores, GPUs
  is_name "$1" && is_address "$2" || return 0
  [ "$*" != "$(cat "$state/seen/$1" 2>/dev/null)" ] || return 0
  (set -e; welcome "$1" "$2" "$4" "$5")
  # Not "|| return": that would disable set -e inside the subshell.
  # shellcheck disable=SC2181
  [ $? = 0 ] || return 0
  printf '%s\n' "$3" | put "$control/welcome/$1" 0644
  printf '%s\n' "$*" >"$state/seen/$1"
  echo "$1 is at $2"
}

head_hosts() {
  echo "$(own_address) $FL_HEAD_NAME"
  awk '$1 == "nodes" && $2 ~ /^[a-z][a-z0-9-]*$/ && $3 ~ /^[0-9.]+$/ { print $3, $2 }' /run/flotilla/said 2>/dev/null || true
}

# Accepts a node's keys only under its own name.
known_hosts() {
  own_host_keys
  awk -v head="$FL_HEAD_NAME" '$1 == "hostkeys" && $2 != head && $2 ~ /^[a-z][a-z0-9-]*$/ && $3 ~ ("^" $2 ",[0-9.]+$") &&
    $4 ~ /^[a-z0-9@.-]+$/ && $5 ~ /^[A-Za-z0-9+\/=]+$/ { print $3, $4, $5 }' /run/flotilla/said
}

keep_host_keys() {
  known_hosts >"$state/cluster_hosts"
  cmp -s "$state/cluster_hosts" "$control/known_hosts" || put "$control/known_hosts" 0644 <"$state/cluster_hosts"
}

# An unresolvable name makes a resource manager block or drop the node, so nodes that are not up get an unused address.
all_hosts() {
  known=$(head_hosts)
  printf '%s\n' "$known"
  all_nodes | while read -r name; do
    printf '%s\n' "$known" | grep -q " $name$" || echo "192.0.2.1 $name"
  done
}

keep_hosts() {
  # The network may not be up yet.
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
    listen
    keep_hosts
    keep_host_keys
    follow_host_keys
    while read -r kind rest; do
      # Words of a node's line, which are checked there.
      # shellcheck disable=SC2086
      [ "$kind" != nodes ] || take_in $rest </dev/null
    done </run/flotilla/said
    sleep 1
  done
}
`
