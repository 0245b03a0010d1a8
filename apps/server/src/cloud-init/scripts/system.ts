/**
 * Packages and their sources. The operating system is detected on the machine, because a user's own image may have a
 * different one than was chosen.
 */
export const system = String.raw`# Packages of this system. It is sourced.
read_system() {
  ID=
  ID_LIKE=
  VERSION_ID=
  . "$FL_ROOT/etc/os-release"
  release=$(echo "$VERSION_ID" | cut -d. -f1)
  case " $ID $ID_LIKE " in
    *' debian '* | *' ubuntu '*) family=debian ;;
    *' rhel '* | *' centos '* | *' fedora '*) family=el ;;
    *) family=none ;;
  esac
  case $family-$release in
    el-7 | el-8 | el-9 | debian-*) ;;
    *) die "Flotilla does not support $ID $VERSION_ID. Use Debian, Ubuntu, Rocky 8 or 9, RHEL 8 or 9 or CentOS 7" ;;
  esac
  yum=yum
  [ "$release" = 7 ] || yum=dnf
}

has_package() {
  case $family in
    debian) dpkg -s "$1" 2>/dev/null | grep -q '^Status: install ok installed' ;;
    el) rpm -q --quiet --whatprovides "$1" >/dev/null 2>&1 ;;
  esac
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=900 -o Acquire::Retries=5 -o Dpkg::Options::=--force-confold "$@"
}

install_packages() {
  missing=
  for package in "$@"; do has_package "$package" || missing="$missing $package"; done
  [ -n "$missing" ] || return 0
  prepare_sources || return 1
  # Names only, each checked before it came here: they are meant to be split.
  # shellcheck disable=SC2086
  case $family in
    debian) try apt_get install -y --no-install-recommends $missing ;;
    el) try "$yum" -y install $missing ;;
  esac
}

remove_packages() {
  present=
  for package in "$@"; do ! has_package "$package" || present="$present $package"; done
  [ -n "$present" ] || return 0
  # shellcheck disable=SC2086
  case $family in
    debian) apt_get remove -y $present ;;
    el) "$yum" -y remove $present ;;
  esac
}

# Once per run.
prepare_sources() {
  [ -z "$sources_ready" ] || return 0
  case $family in
    debian) try apt_get update ;;
    el) prepare_el ;;
  esac
  sources_ready=yes
}

prepare_el() {
  if [ "$ID-$release" = centos-7 ]; then
    # CentOS 7 reached its end of life in June 2024: its packages are in the vault, and EPEL 7 in Fedora's archive.
    sed -i -e 's|^mirrorlist=|#mirrorlist=|' \
      -e 's|^#*[[:space:]]*baseurl=http://mirror.centos.org/centos/$releasever|baseurl=http://vault.centos.org/7.9.2009|' \
      -e 's|^#*[[:space:]]*baseurl=http://mirror.centos.org/altarch/$releasever|baseurl=http://vault.centos.org/altarch/7.9.2009|' \
      "$FL_ROOT"/etc/yum.repos.d/CentOS-*.repo
    try yum -y install epel-release
    sed -i -e 's|^metalink=|#metalink=|' -e 's|^mirrorlist=|#mirrorlist=|' \
      -e 's|^#*baseurl=https*://download\.[a-z.]*/pub/epel/7|baseurl=https://archives.fedoraproject.org/pub/archive/epel/7|' \
      "$FL_ROOT"/etc/yum.repos.d/epel*.repo
    return
  fi
  # Slurm comes from EPEL, whose packages build on the distribution's builder repository.
  case $ID in
    rhel) rpm -q --quiet epel-release ||
      try "$yum" -y install "https://dl.fedoraproject.org/pub/epel/epel-release-latest-$release.noarch.rpm" ;;
    *) try "$yum" -y install epel-release ;;
  esac
  [ "$release" != 7 ] || return 0
  has crb && crb enable && return 0
  try "$yum" -y install dnf-plugins-core
  case $ID-$release in
    rhel-*) subscription-manager repos --enable "codeready-builder-for-rhel-$release-$(uname -m)-rpms" ||
      dnf config-manager --set-enabled "codeready-builder-for-rhel-$release-rhui-rpms" ;;
    *-8) dnf config-manager --set-enabled powertools ;;
    *) dnf config-manager --set-enabled crb ;;
  esac
}

register_with_red_hat() {
  [ -n "$FL_RHEL_KEY" ] || return 0
  [ "$ID" = rhel ] || die "An activation key was given, but this machine runs $ID, not Red Hat Enterprise Linux"
  subscription-manager identity >/dev/null 2>&1 && return 0
  try subscription-manager register --org="$FL_RHEL_ORG" --activationkey="$FL_RHEL_KEY"
}

# The package names of a part on this system.
packages_of() { # part
  case $1-$FL_ROLE-$family in
    base-*-debian) echo sudo openssl iproute2 iptables util-linux ;;
    base-*-el) echo sudo openssl iproute iptables util-linux ;;
    nfs-head-debian) echo nfs-kernel-server ;;
    nfs-node-debian) echo nfs-common ;;
    nfs-*-el) echo nfs-utils ;;
    slurm-head-debian) echo munge slurmctld slurm-client ;;
    slurm-node-debian) echo munge slurmd slurm-client dbus ;;
    slurmdbd-*-debian) echo slurmdbd mariadb-server ;;
    slurmdbd-*-el) echo slurm-slurmdbd mariadb-server ;;
    slurm-head-el) echo munge slurm slurm-slurmctld ;;
    slurm-node-el) echo munge slurm slurm-slurmd ;;
    mpi-*-debian) echo openmpi-bin libopenmpi-dev gcc libc6-dev ;;
    mpi-*-el) echo openmpi openmpi-devel gcc ;;
    rdma-*-debian) echo rdma-core ibverbs-providers ibverbs-utils infiniband-diags ;;
    rdma-*-el) echo rdma-core libibverbs-utils infiniband-diags ;;
    vnc-*-debian) echo tigervnc-standalone-server tigervnc-common openbox xterm ;;
    vnc-*-el) echo tigervnc-server openbox xterm ;;
    openvpn-*) echo openvpn ;;
  esac
}

install_part() {
  # shellcheck disable=SC2046
  install_packages $(packages_of "$1")
}
`
