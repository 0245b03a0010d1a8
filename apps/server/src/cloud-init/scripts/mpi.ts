/** Installs MPI on every machine. The script is sourced after system.sh. */
export const mpi = String.raw`
# On some systems, MPI programs are not on the PATH.
mpi_profile() { # folder of Open MPI, its libraries
  mkdir -p "$FL_ROOT/etc/profile.d"
  printf 'PATH=%s/bin:$PATH\nLD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH\nexport PATH LD_LIBRARY_PATH\n' "$1" "$2" | put "$FL_ROOT/etc/profile.d/flotilla-mpi.sh" 0644
}

install_mpi() {
  install_part mpi
  [ "$family" != el ] || mpi_profile /usr/lib64/openmpi /usr/lib64/openmpi/lib
}
`

const memory = String.raw`
# Both kinds of networks register memory, which the default limit does not allow.
allow_locked_memory() {
  mkdir -p "$FL_ROOT/etc/security/limits.d"
  printf '* soft memlock unlimited\n* hard memlock unlimited\n' | put "$FL_ROOT/etc/security/limits.d/90-flotilla.conf" 0644
}
`

/** Additional steps for nodes with a fast network. */
export const fabrics = {
  efa: String.raw`${memory}
# Amazon's installer includes the kernel module, libfabric and an Open MPI that uses it.
install_fabric() {
  allow_locked_memory
  install_packages curl tar
  if [ ! -x "$FL_ROOT/opt/amazon/efa/bin/fi_info" ]; then
    work=$(mktemp -d)
    try curl -fsSL -o "$work/efa.tar.gz" https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz
    tar -xzf "$work/efa.tar.gz" -C "$work"
    (cd "$work/aws-efa-installer" && ./efa_installer.sh -y)
    rm -rf "$work"
  fi
  for folder in openmpi5 openmpi; do
    [ -x "$FL_ROOT/opt/amazon/$folder/bin/mpirun" ] || continue
    mpi_profile "/opt/amazon/$folder" "/opt/amazon/efa/lib:/opt/amazon/efa/lib64:/opt/amazon/$folder/lib:/opt/amazon/$folder/lib64"
    break
  done
  "$FL_ROOT/opt/amazon/efa/bin/fi_info" -p efa >/dev/null 2>&1 || die 'EFA is installed, but libfabric finds no EFA interface'
}
`,
  rdma: String.raw`${memory}
# The kernel has the driver of Azure's InfiniBand and Oracle's RoCE; Open MPI uses it through UCX. The cloud's agent gives the interface its address.
install_fabric() {
  allow_locked_memory
  install_part rdma
  modprobe -a mlx5_ib ib_umad ib_ipoib rdma_ucm 2>/dev/null || true
  if [ -e "$FL_ROOT/etc/waagent.conf" ]; then
    sed -i -e '/^#* *OS.EnableRDMA=/d' "$FL_ROOT/etc/waagent.conf"
    echo OS.EnableRDMA=y >>"$FL_ROOT/etc/waagent.conf"
    if has_systemd; then systemctl try-restart walinuxagent waagent 2>/dev/null || true; fi
  fi
  ls /sys/class/infiniband/* >/dev/null 2>&1 || die 'This machine has no RDMA interface, though its size has one'
}
`,
  none: 'install_fabric() { :; }\n',
}
