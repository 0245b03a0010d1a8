/** Installed from the image, or from the package source that an admin set. */
const common = String.raw`# Torque on this machine. It is sourced.
torque_home() {
  for home in /var/spool/torque /var/lib/torque; do
    [ ! -d "$home" ] || { echo "$home"; return 0; }
  done
  die "Torque's folder was not found on this machine"
}

# The admin's source file is used unchanged.
torque_source() { # a program that shows that it is there
  ! has "$1" || return 0
  [ -s "$etc/torque.source" ] || die "The image has no Torque ($1 is missing), and no package repository is configured"
  if [ -s "$etc/torque.key" ]; then
    mkdir -p /etc/apt/keyrings /etc/pki/rpm-gpg
    case $family in
      debian) put /etc/apt/keyrings/flotilla-torque.asc 0644 <"$etc/torque.key" ;;
      el) rpm --import "$etc/torque.key" ;;
    esac
  fi
  case $family in
    debian) put /etc/apt/sources.list.d/flotilla-torque.list 0644 <"$etc/torque.source" ;;
    el) put /etc/yum.repos.d/flotilla-torque.repo 0644 <"$etc/torque.source" ;;
  esac
  # shellcheck disable=SC2046
  install_packages $(cat "$etc/torque.packages")
  has "$1" || die "The configured packages do not contain $1"
}
`

/** Torque on the head node. The script is sourced. */
export const torqueHead = String.raw`${common}
set_up_manager() {
  torque_source pbs_server
  home=$(torque_home)
  printf '%s\n' "$FL_HEAD_NAME" | put "$home/server_name" 0644
  serve trqauthd trqauthd -D
  if [ ! -s "$home/server_priv/serverdb" ]; then
    yes | pbs_server -t create
    wait_for 30 'The Torque server does not respond' qmgr -c 'list server'
    qterm -t quick
    sleep 2
  fi
  serve pbs_server pbs_server -D
  wait_for 60 'The Torque server does not respond' qmgr -c 'list server'
  qmgr -c 'list queue batch' >/dev/null 2>&1 || qmgr -c 'create queue batch queue_type=execution'
  qmgr <<'SETTINGS'
set queue batch enabled = true
set queue batch started = true
set server default_queue = batch
set server scheduling = true
set server keep_completed = 300
set server mom_job_sync = true
SETTINGS
  qmgr -c "set server submit_hosts = $FL_HEAD_NAME"
  qmgr -c "set server managers += flotilla@$FL_HEAD_NAME"
  # Jobs may request nodes that are not up yet; Torque rejects requests for unknown nodes.
  keep_hosts
  while read -r name cores gpus; do welcome "$name" 192.0.2.1 "$cores" "$gpus"; done <"$etc/nodes"
  if has pbs_sched; then serve pbs_sched pbs_sched -D; fi
}

all_nodes() { cut -d' ' -f1 "$etc/nodes"; }
record_user() { :; }
forget_user() { :; }

welcome() { # name, address, cores, GPUs
  printf '%s %s' "$3" "$4" | grep -qxE '[0-9]+ [0-9]+' || return 1
  qmgr -c "list node $1" >/dev/null 2>&1 || qmgr -c "create node $1"
  qmgr -c "set node $1 np = $3"
  [ "$4" = 0 ] || qmgr -c "set node $1 gpus = $4"
}
`

/** Torque on a node. The script is sourced. */
export const torqueNode = String.raw`${common}
set_up_manager() {
  torque_source pbs_mom
  home=$(torque_home)
  printf '%s\n' "$FL_HEAD_NAME" | put "$home/server_name" 0644
  mkdir -p "$home/mom_priv"
  {
    printf '$pbsserver %s\n' "$FL_HEAD_NAME"
    # Output goes straight into shared folders instead of being copied.
    while read -r folder; do printf '$usecp *:%s %s\n' "$folder" "$folder"; done <"$control/mounts"
  } | put "$home/mom_priv/config" 0644
}

start_manager() { serve pbs_mom pbs_mom -D; }

follow_manager() { :; }
`

/**
 * Without a resource manager there is nothing to set up: the console starts jobs itself, over SSH. The script is
 * sourced.
 */
export const noManager = `set_up_manager() { :; }
record_user() { :; }
forget_user() { :; }
welcome() { :; }
all_nodes() { :; }
start_manager() { :; }
follow_manager() { :; }
`
