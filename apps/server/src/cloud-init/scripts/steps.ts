/** The setup steps that head node and nodes share. The script is sourced. */
export const steps = String.raw`# Steps of setting a machine up that head and nodes share. It is sourced.
console_account() {
  home=$state/home
  getent group flotilla >/dev/null || groupadd --system flotilla
  getent passwd flotilla >/dev/null ||
    useradd --system --gid flotilla --home-dir "$home" --no-create-home --shell /bin/bash --password '*' flotilla
  install -d -m 0755 "$state"
  install -d -m 0700 -o flotilla -g flotilla "$home" "$home/.ssh"
  put "$home/.ssh/authorized_keys" 0600 <"$etc/console.keys"
  chown flotilla:flotilla "$home/.ssh/authorized_keys"
  # The home is not below /home, which may be mounted from the head node, so SELinux needs an explicit label.
  if has selinuxenabled && selinuxenabled; then chcon -R -t ssh_home_t "$home/.ssh"; fi
  mkdir -p /etc/sudoers.d
  printf 'Defaults:flotilla !requiretty\nflotilla ALL=(ALL) NOPASSWD: ALL\n' | put /etc/sudoers.d/flotilla 0440
  chgrp flotilla "$logs"
}

name_machine() {
  mkdir -p /etc/cloud/cloud.cfg.d
  printf 'preserve_hostname: true\nmanage_etc_hosts: false\n' | put /etc/cloud/cloud.cfg.d/99-flotilla.cfg 0644
  printf '%s\n' "$FL_NAME" | put /etc/hostname 0644
  hostname "$FL_NAME"
  address=$(own_address)
  [ -n "$address" ] || die "This machine has no address on the cluster's network"
  if [ "$FL_ROLE" = head ]; then
    write_hosts "$address $FL_HEAD_NAME"
  else
    [ -n "$(head_address)" ] || die "The head node's address is unknown"
    write_hosts "$(head_address) $FL_HEAD_NAME
$address $FL_NAME"
  fi
}

install_base() { install_part base; }

mount_file_systems() {
  failed=
  while read -r kind source place options; do
    [ -z "$kind" ] || (set -e; mount_file_system) || failed="$failed $place"
  done <"$etc/mounts"
  [ -z "$failed" ] || die "Could not mount:$failed"
}

mount_file_system() {
  case $kind in
    nfs) install_part nfs ;;
    lustre) has mount.lustre || die 'The image has no Lustre client. Use an image that has one' ;;
  esac
  [ -n "$options" ] || options=defaults
  mkdir -p "$FL_ROOT$place"
  {
    awk -v place="$place" '$2 != place' "$FL_ROOT/etc/fstab"
    echo "$source $place $kind $options,_netdev,nofail 0 0"
  } | put "$FL_ROOT/etc/fstab" 0644
  mountpoint -q "$place" || timeout 120 mount "$place"
}

allow_nfs_homes() {
  if has selinuxenabled && selinuxenabled; then setsebool -P use_nfs_home_dirs on; fi
}

install_wanted() {
  [ -s "$etc/packages" ] || return 0
  flotilla-packages local <"$etc/packages"
}

provision() {
  [ -s "$etc/provision" ] || return 0
  : >"$logs/provision.log"
  chmod 0640 "$logs/provision.log"
  chgrp flotilla "$logs/provision.log"
  chmod 0700 "$etc/provision"
  code=0
  # A script without #! cannot be executed directly; run it with sh.
  case $(head -c 2 "$etc/provision") in
    '#!') (cd / && exec timeout "$FL_PROVISION_S" "$etc/provision") >>"$logs/provision.log" 2>&1 || code=$? ;;
    *) (cd / && exec timeout "$FL_PROVISION_S" /bin/sh "$etc/provision") >>"$logs/provision.log" 2>&1 || code=$? ;;
  esac
  [ "$code" != 124 ] || die "The provision script timed out after $FL_PROVISION_S seconds. See $logs/provision.log"
  [ "$code" = 0 ] || die "The provision script exited with code $code. See $logs/provision.log"
}

start_following() {
  unit flotilla 'Flotilla cluster service' "$lib/follow" 'Restart=always
RestartSec=5
KillMode=process'
  serve flotilla "$lib/follow"
}

# The cluster's machines know each other's host keys, so SSH never asks to trust one.
own_host_keys() {
  cat /etc/ssh/ssh_host_*_key.pub 2>/dev/null | awk -v names="$FL_NAME,$(own_address)" '{ print names, $1, $2 }'
}

follow_host_keys() {
  [ -d /etc/ssh ] || return 0
  { sed '/^# flotilla begin$/,/^# flotilla end$/d' /etc/ssh/ssh_known_hosts 2>/dev/null
    echo '# flotilla begin'
    cat "$control"/known_hosts "$control"/hostkeys/* 2>/dev/null
    echo '# flotilla end'; } >"$state/known_hosts"
  cmp -s "$state/known_hosts" /etc/ssh/ssh_known_hosts || put /etc/ssh/ssh_known_hosts 0644 <"$state/known_hosts"
}
`
