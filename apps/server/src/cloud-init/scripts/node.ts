/** The steps that only nodes run. The script is sourced. */
export const node = String.raw`# What is done on nodes only. It is sourced.
role_steps() {
  step "mount the head node's folders" mount_shared
  wish 'mount file systems' mount_file_systems
  if [ "$FL_GPUS" != 0 ]; then
    wish 'install the GPU driver' install_gpu_driver
    wish 'check the GPU driver' look_for_gpus
  fi
  [ -z "$FL_GPU_MODE" ] || step 'partition the GPUs' partition_gpus
  step "set up $FL_MANAGER" set_up_manager
  wish 'install MPI' install_mpi
  [ "$FL_FABRIC" = none ] || wish 'set up the fast network' install_fabric
  wish 'install requested packages' install_wanted
  # Before the node accepts jobs, because jobs may depend on the script's results.
  wish 'run the provision script' provision
  step 'join the cluster' start_following
  step 'wait for the head node to accept this node' wait_for_welcome
}

mount_shared() {
  install_part nfs
  allow_nfs_homes
  wait_for 900 "The head node does not share its folders: $(head_address) cannot be reached or is not set up" mount_control
  mount_folders
}

mount_from_head() { # folder, options
  mountpoint -q "$1" && return 0
  mkdir -p "$1"
  timeout 60 mount -t nfs -o "vers=4$2" "$(head_address):$1" "$1"
}

mount_control() {
  mount_from_head "$control" ,actimeo=1 || return 1
  # A head node that an older console set up has a single folder for everything.
  if [ ! -e "$control/inbox" ]; then
    inbox=$control
    secrets=$control/secrets
    return 0
  fi
  mount_from_head "$inbox" '' && mount_from_head "$secrets" ''
}

mount_folders() {
  while read -r folder; do
    mount_from_head "$folder" ''
  done <"$control/mounts"
}

install_gpu_driver() {
  install_gpu_software
  [ -e /dev/nvidia0 ] || ! has nvidia-smi || modprobe -a nvidia nvidia-uvm 2>/dev/null || true
}

look_for_gpus() {
  if [ "$FL_GPU_MAKER" = amd ]; then
    [ -e /dev/kfd ] || die 'The AMD GPU driver is not loaded'
    return 0
  fi
  has nvidia-smi || die 'The NVIDIA driver is not installed'
  cards=$(timeout 40 nvidia-smi -L 2>&1) || die "The NVIDIA driver does not respond: $(printf '%s' "$cards" | tail -n 1)"
  cards=$(printf '%s\n' "$cards" | grep -c '^GPU ' || true)
  [ "$cards" -ge "$FL_GPU_CARDS" ] || die "The NVIDIA driver finds $cards of $FL_GPU_CARDS GPUs"
}

partition_gpus() {
  has nvidia-smi || die 'The GPUs cannot be partitioned because the image has no NVIDIA driver'
  nvidia-smi -pm 1
  case $FL_GPU_MODE in
    all-disabled)
      nvidia-smi -mig 0
      rm -f "$state/gpu-parts"
      : >/run/flotilla/partitioned
      return
      ;;
    all-1g.5gb) parts=1g.5gb,1g.5gb,1g.5gb,1g.5gb,1g.5gb,1g.5gb,1g.5gb ;;
    all-2g.10gb) parts=2g.10gb,2g.10gb,2g.10gb ;;
    all-3g.20gb) parts=3g.20gb,3g.20gb ;;
    *) die "Unknown GPU partition mode $FL_GPU_MODE" ;;
  esac
  nvidia-smi -mig 1
  nvidia-smi mig -dci || true
  nvidia-smi mig -dgi || true
  nvidia-smi mig -cgi "$parts" -C
  # In Slurm's order; the task prolog passes a job those that it was allocated.
  nvidia-smi -L | sed -n 's/.*(UUID: \(MIG-[^)]*\)).*/\1/p' | put "$state/gpu-parts" 0644
  [ -s "$state/gpu-parts" ] || die 'The driver created no GPU partitions'
  : >/run/flotilla/partitioned
}

wait_for_welcome() {
  left=900
  until [ -e /run/flotilla/joined ]; do
    # After three failed starts, do not wait for another.
    [ "$(wc -l 2>/dev/null </run/flotilla/failures || echo 0)" -lt 3 ] || die "$(tail -n 1 /run/flotilla/failures)"
    left=$((left - 1))
    [ "$left" -gt 0 ] || die 'The head node did not accept this node'
    sleep 1
  done
}

follow_account() { # name, file
  make_account "$1" "$(sed -n 1p "$2")"
  grep -qxF /home "$control/mounts" || make_home "$1" "$(sed -n '2,$p' "$2")"
  cp "$2" "$state/accounts/$1"
}

follow_accounts() {
  for file in "$control"/accounts/*; do
    name=$(basename "$file")
    [ -f "$file" ] && is_account_name "$name" || continue
    cmp -s "$file" "$state/accounts/$name" && continue
    (set -e; follow_account "$name" "$file")
  done
  for file in "$state"/accounts/*; do
    name=$(basename "$file")
    [ -f "$file" ] && [ ! -e "$control/accounts/$name" ] || continue
    drop_account "$name"
    rm -f "$file"
  done
}

register() {
  line="$(own_address) $(cat /run/flotilla/boot) $FL_CORES $FL_GPUS"
  [ "$line" = "$(cat "$inbox/nodes/$FL_NAME" 2>/dev/null)" ] || printf '%s\n' "$line" | put "$inbox/nodes/$FL_NAME" 0644
}

tell_host_keys() {
  own_host_keys >"$state/hostkeys"
  cmp -s "$state/hostkeys" "$inbox/hostkeys/$FL_NAME" || put "$inbox/hostkeys/$FL_NAME" 0644 <"$state/hostkeys"
}

join() {
  [ ! -e /run/flotilla/joined ] || return 0
  cmp -s /run/flotilla/boot "$control/welcome/$FL_NAME" || return 0
  (set -e; start_manager) >/run/flotilla/join.log 2>&1
  # Not "if (...)": that would disable set -e inside the subshell.
  # shellcheck disable=SC2181
  if [ $? = 0 ]; then : >/run/flotilla/joined; else tail -n 1 /run/flotilla/join.log >>/run/flotilla/failures; fi
}

follow_packages() {
  [ -s "$control/packages" ] || return 0
  cmp -s "$control/packages" "$state/packages" && return 0
  cp "$control/packages" "$state/packages.new"
  if flotilla-packages local <"$state/packages.new" >"$logs/packages.log" 2>&1; then echo ok; else tail -n 1 "$logs/packages.log"; fi |
    put "$inbox/reports/$FL_NAME.packages" 0644
  mv -f "$state/packages.new" "$state/packages"
}

follow_role() {
  mkdir -p "$state/accounts"
  # Changes at every boot.
  rm -f /run/flotilla/failures
  [ -s /run/flotilla/boot ] || cat /proc/sys/kernel/random/uuid >/run/flotilla/boot
  if [ -n "$FL_GPU_MODE" ] && [ ! -e /run/flotilla/partitioned ]; then
    (set -e; partition_gpus)
  fi
  while :; do
    if [ -n "$(own_address)" ] && mount_control && [ -s "$control/generation" ]; then
      generation=$(cat "$control/generation")
      mount_folders
      register
      [ ! -s "$control/hosts" ] || write_hosts "$(cat "$control/hosts")"
      tell_host_keys
      follow_host_keys
      follow_accounts
      printf '%s\n' "$generation" >"$inbox/alive/$FL_NAME"
      join
      follow_manager
      follow_packages
    fi
    sleep 1
  done
}
`
