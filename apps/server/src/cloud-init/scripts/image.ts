/**
 * The steps that turn a machine into an image: software is installed, and everything that identifies this machine is
 * removed.
 */
export const imageSteps = String.raw`# Steps of making an image of this machine. It is sourced.
build=$FL_ROOT/tmp/flotilla-build

use_proxy() {
  [ -n "$FL_PROXY" ] || return 0
  http_proxy=$FL_PROXY
  https_proxy=$FL_PROXY
  HTTP_PROXY=$FL_PROXY
  HTTPS_PROXY=$FL_PROXY
  no_proxy=169.254.169.254,localhost,127.0.0.1
  export http_proxy https_proxy HTTP_PROXY HTTPS_PROXY no_proxy
}

# Cloud-init may still be running and hold the package manager's lock.
wait_for_start() { if has cloud-init; then cloud-init status --wait >/dev/null 2>&1 || true; fi; }

tools() {
  case $family in
    debian) echo build-essential gfortran cmake git environment-modules openmpi-bin libopenmpi-dev vim tmux ;;
    el) echo gcc gcc-c++ gcc-gfortran make cmake git environment-modules openmpi openmpi-devel vim-enhanced tmux ;;
  esac
}

# The image serves both roles, so it gets the packages of both.
install_roles() {
  for FL_ROLE in head node; do
    install_part nfs
    [ "$FL_MANAGER" != slurm ] || install_part slurm
  done
  [ "$FL_MANAGER" != slurm ] || install_part slurmdbd
  [ "$FL_MANAGER" != torque ] || [ ! -s "$etc/torque.source" ] || torque_source pbs_server
  [ "$FL_VNC" != yes ] || install_part vnc
  # shellcheck disable=SC2046
  [ "$FL_MINIMAL" = yes ] || install_packages $(tools)
}

# Each machine configures and starts them itself.
stop_services() {
  has_systemd || return 0
  for service in slurmctld slurmdbd slurmd mariadb munge pbs_server pbs_mom pbs_sched trqauthd nfs-server; do
    systemctl disable --now "$service" >/dev/null 2>&1 || true
  done
}

has_manager() {
  case $FL_MANAGER in
    slurm) has slurmctld && has slurmd && has munged ;;
    torque) has pbs_server && has pbs_mom ;;
  esac
}
require_manager() {
  has_manager || die "The image has no $FL_MANAGER: neither the package repository nor the provisioner scripts installed it"
}

# Keys, names and records that no two machines may share.
forget_machine() {
  if has subscription-manager && subscription-manager identity >/dev/null 2>&1; then
    subscription-manager unregister || true
    subscription-manager clean || true
  fi
  rm -f /etc/munge/munge.key /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub
  for keys in /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys; do
    [ ! -f "$keys" ] || sed -i '/ flotilla-build$/d' "$keys"
  done
  if has cloud-init; then cloud-init clean --logs >/dev/null 2>&1 || rm -rf /var/lib/cloud/*; fi
  : >/etc/machine-id
  rm -rf "$build" /etc/flotilla /usr/local/lib/flotilla /var/lib/flotilla /var/log/flotilla
  case $family in
    debian) apt_get clean ;;
    el) "$yum" clean all ;;
  esac
  # On Azure the agent does this, and also removes the build's login account.
  ! has waagent || waagent -force -deprovision+user
  sync
}
`

const begin = String.raw`#!/bin/sh
set -e
umask 022
from=/tmp/flotilla-build/common
mkdir -p /etc/flotilla /usr/local/lib/flotilla /var/lib/flotilla
cp "$from"/etc/* /etc/flotilla/
cp "$from"/lib/* /usr/local/lib/flotilla/
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
. "$lib/manager.sh"
. "$lib/image.sh"
say() { echo "flotilla: $*"; }
read_system
use_proxy
`

/** Installs what every image contains. */
export const imageInstall = `${begin}
say "This machine runs $ID $VERSION_ID"
wait_for_start
register_with_red_hat
say 'Installing base packages'
install_part base
say "Installing for the resource manager $FL_MANAGER"
install_roles
if [ "$FL_GPU_SOFTWARE" != none ]; then
  say 'Installing the NVIDIA driver'
  install_gpu_software
fi
stop_services
`

/** Runs the user's script for this role in the folder of its data files. */
export const imageProvision = `${begin}
cd "$build/own/data"
say "Running the $FL_IMAGE_ROLE provisioner"
chmod 0700 ../provision
case $(head -c 2 ../provision) in
  '#!') ../provision ;;
  *) /bin/sh ../provision ;;
esac
say "The $FL_IMAGE_ROLE provisioner has finished"
`

/** Lets users log in with their own keys until the image is captured. */
export const imageOpen = String.raw`#!/bin/sh
set -e
umask 077
mkdir -p "$HOME/.ssh"
cat /tmp/flotilla-build/common/people.keys >>"$HOME/.ssh/authorized_keys"
`

export const imageFinish = `${begin}
[ "$FL_MANAGER" = none ] || require_manager
stop_services
say 'Removing machine-specific data'
forget_machine
`
