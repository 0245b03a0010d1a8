import { slurmAccounting } from './slurm-accounting'
import { slurmConfine } from './slurm-confine'

const common = String.raw`# Slurm on this machine. It is sourced.
# The same uid on every machine, as the daemons authenticate each other by it.
slurm_account() {
  getent group slurm >/dev/null || groupadd --system --gid 64030 slurm
  getent passwd slurm >/dev/null ||
    useradd --system --uid 64030 --gid slurm --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin slurm
}

slurm_folders() {
  install -d -m 0755 -o slurm -g slurm /var/lib/slurm /var/log/slurm
  install -d -m 0700 -o slurm -g slurm /var/lib/slurm/slurmctld
  install -d -m 0755 /etc/slurm /var/lib/slurm/slurmd
}

start_munge() {
  install -d -m 0700 -o munge -g munge /etc/munge /var/log/munge
  install -d -m 0711 -o munge -g munge /var/lib/munge
  install -m 0400 -o munge -g munge "$state/munge.key" /etc/munge/munge.key
  has_systemd || install -d -m 0755 -o munge -g munge /run/munge
  serve munge setpriv --reuid munge --regid munge --clear-groups munged -F
  wait_for 30 'munge does not start' munge --no-input
}

slurm_state() { timeout 30 scontrol -o show node "$1" | sed -n 's/.* State=\([^ ]*\) .*/\1/p'; }

slurm_answers() { timeout 10 scontrol ping | grep -q 'is UP'; }
`

/** Slurm on the head node. The script is sourced. */
export const slurmHead = String.raw`${common}${slurmAccounting}${slurmConfine}
# The key is generated on the head node. Nodes read it from a folder that only their root can read, encrypted with a key
# from their user data: neither the metadata service nor the network alone reveals it.
munge_head() {
  [ -s "$state/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom >"$state/munge.key")
  openssl enc -aes-256-cbc -md sha256 -salt -pass "file:$etc/join.key" -in "$state/munge.key" 2>/dev/null |
    put "$secrets/munge.key" 0400
  chown flotilla-nodes "$secrets/munge.key"
  start_munge
}

set_up_manager() {
  slurm_account
  install_part slurm
  slurm_folders
  # The console reads and clears requests with its own account.
  install -d -m 0750 -o slurm -g flotilla "$spool"
  install -d -m 2770 -o slurm -g flotilla "$spool/requests"
  munge_head
  [ -s "$control/slurm.conf" ] || put "$control/slurm.conf" 0644 <"$etc/slurm.conf"
  wish 'set up accounting' set_up_accounting
  is_serving slurmdbd || rm -f "$state/accounting"
  use_slurm_conf "$control/slurm.conf"
  keep_hosts
  unit slurmctld 'Slurm controller' '/usr/sbin/slurmctld -D' 'LimitNOFILE=65536
TasksMax=infinity
Restart=on-failure
RestartSec=5'
  serve slurmctld slurmctld -D
  wait_for 60 'The Slurm controller does not respond; see /var/log/slurm/slurmctld.log' slurm_answers
}

# The cluster also works without it, with the job completion log only.
set_up_accounting() {
  install_part slurmdbd
  start_mariadb
  : >"$state/accounting"
  # Slurm's own commands read there whether accounting is on.
  use_slurm_conf "$control/slurm.conf"
  start_accounting
}

accounting_lines() {
  [ -e "$state/accounting" ] || return 0
  printf '%s\n' AccountingStorageType=accounting_storage/slurmdbd "AccountingStorageHost=$FL_HEAD_NAME" AccountingStoreFlags=job_comment
  ! grep -q '^GresTypes=gpu' "$1" || echo AccountingStorageTRES=gres/gpu
}

# The devices of each node's GPUs, from what slurm.conf says of the nodes.
gres_conf() {
  awk '/^NodeName=/ && match($0, / Gres=gpu:[^ ]+/) {
    parts = split(substr($0, RSTART + 10, RLENGTH - 10), gpu, ":")
    files = gpu[parts] > 1 ? "[0-" gpu[parts] - 1 "]" : "0"
    print $1 " Name=gpu" (parts > 1 ? " Type=" gpu[1] : "") " File=/run/flotilla/gpus/gpu" files
  }' "$1"
}

# A plain srun can start MPI programs if Slurm has its PMIx plugin and MPI installed the library that it loads.
has_in_libraries() { find "$FL_ROOT/usr/lib" "$FL_ROOT/usr/lib64" -name "$1" 2>/dev/null | grep -q .; }
mpi_lines() { if has_in_libraries mpi_pmix.so && has_in_libraries libpmix.so; then echo MpiDefault=pmix; fi; }
use_mpi() {
  use_slurm_conf "$control/slurm.conf"
  scontrol reconfigure
}

whole_conf() { # file
  sed '/^\(ProctrackType\|TaskPlugin\|JobAcctGatherType\)=/d' "$1"
  process_lines
  mpi_lines
  accounting_lines "$1"
}

# Combines the console's settings with those that depend on this machine. Nodes get everything from the controller.
use_slurm_conf() { # file
  whole_conf "$1" | put /etc/slurm/slurm.conf 0644
  cgroup_conf | put /etc/slurm/cgroup.conf 0644
  gres_conf "$1" | put /etc/slurm/gres.conf 0644
}

all_nodes() { scontrol show hostnames "$(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' /etc/slurm/slurm.conf | paste -s -d ,)"; }

# On the head node: tells Slurm a node's address, and that it is booting, before its daemon registers. Fails while
# Slurm is still powering the node down; it is retried then.
welcome() { # name, address
  states=$(slurm_state "$1")
  case $states in
    '') die "Slurm has no node $1" ;;
    *POWERING_DOWN*) return 1 ;;
  esac
  scontrol update nodename="$1" nodeaddr="$2" nodehostname="$1"
  case $states in
    *DOWN[+*]*CLOUD* | DOWN | DOWN[+*]*) scontrol update nodename="$1" state=resume ;;
  esac
  case $states in
    *POWERED_DOWN* | *+POWER | *+POWER+*) scontrol update nodename="$1" state=power_up ;;
  esac
}
`

/** Slurm on a node. The script is sourced. */
export const slurmNode = String.raw`${common}
munge_node() {
  mount_control
  wait_for 900 'The head node has not created the cluster key' test -s "$secrets/munge.key"
  (umask 077 && openssl enc -d -aes-256-cbc -md sha256 -pass "file:$etc/join.key" \
    -in "$secrets/munge.key" >"$state/munge.key" 2>/dev/null) ||
    die "The cluster's key cannot be decrypted with this machine's key"
  start_munge
}

set_up_manager() {
  slurm_account
  install_part slurm
  slurm_folders
  munge_node
}

# Slurm counts GPUs by their device files, and allocates them by file number. GPU partitions have no files of their own,
# so the task prolog assigns them; GPUs whose driver does not respond have none either, and the node is drained. In both
# cases, Slurm gets device files without a driver.
gpu_files() {
  rm -rf /run/flotilla/gpus
  mkdir -p /run/flotilla/gpus
  i=0
  while [ "$i" -lt "$FL_GPUS" ]; do
    device=
    for file in "/dev/nvidia$i" "/dev/dri/renderD$((128 + i))"; do
      [ -n "$device" ] || [ ! -e "$file" ] || [ -s "$state/gpu-parts" ] || device=$file
    done
    if [ -n "$device" ]; then ln -s "$device" "/run/flotilla/gpus/gpu$i"; else mknod -m 600 "/run/flotilla/gpus/gpu$i" c 60 "$i"; fi
    i=$((i + 1))
  done
}

# Whether the running daemon has registered with the controller; a running process may just be crash-looping.
has_registered() {
  is_serving slurmd || return 1
  case $(slurm_state "$FL_NAME") in '' | *UNKNOWN* | *NOT_RESPONDING* | *POWERING_UP* | *POWERED_DOWN*) return 1 ;; esac
}

# On a node, after the head node has admitted it.
start_manager() {
  cp "$control/slurm.conf" "$state/slurm.conf"
  # The daemon fetches its configuration from the controller; files from the image would mislead the commands.
  rm -f /etc/slurm/slurm.conf /etc/slurm/cgroup.conf /etc/slurm/gres.conf
  gpu_files
  # -b (just booted), because Slurm requested the node after its machine was up. Not on a restart of the daemon: jobs
  # may be running then.
  boot=
  [ -e /run/flotilla/joined ] || boot=-b
  echo "BOOT=$boot" >/run/flotilla/slurmd.env
  unit slurmd 'Slurm node' "/usr/sbin/slurmd -D \$BOOT --conf-server $FL_HEAD_NAME -N $FL_NAME" 'EnvironmentFile=-/run/flotilla/slurmd.env
KillMode=process
LimitNOFILE=131072
LimitMEMLOCK=infinity
LimitSTACK=infinity
Delegate=yes
TasksMax=infinity
Restart=on-failure
RestartSec=5'
  # shellcheck disable=SC2086
  serve slurmd slurmd -D $boot --conf-server "$FL_HEAD_NAME" -N "$FL_NAME"
  echo BOOT= >/run/flotilla/slurmd.env
  left=30
  gone=0
  until has_registered; do
    left=$((left - 1))
    is_serving slurmd || gone=$((gone + 1))
    [ "$left" -gt 0 ] && [ "$gone" -lt 3 ] || die "The Slurm daemon does not register: $(tail -n 1 /var/log/slurm/slurmd.log)"
    sleep 1
  done
  # At the next boot, the node waits again until it is admitted.
  if has_systemd; then systemctl disable slurmd; fi
}

follow_manager() {
  [ -e /run/flotilla/joined ] || return 0
  cmp -s "$control/slurm.conf" "$state/slurm.conf" || (set -e; start_manager)
}
`
