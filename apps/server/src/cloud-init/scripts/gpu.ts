/**
 * Installs NVIDIA's driver and CUDA from NVIDIA's own repository, because the distributions' packages are too old for
 * the clouds' GPUs. The script is sourced after system.sh.
 */
export const gpuSoftware = String.raw`
nvidia_repository() {
  [ -z "$nvidia_ready" ] || return 0
  case $ID-$VERSION_ID in
    debian-12* | debian-13*) from=debian$release ;;
    ubuntu-22.04 | ubuntu-24.04) from=ubuntu$(echo "$VERSION_ID" | tr -d .) ;;
    *-8* | *-9*) from=rhel$release ;;
    *) die "NVIDIA has no current driver packages for $ID $VERSION_ID. Use Debian 12, Ubuntu 22.04 or 24.04, Rocky 8 or 9, or RHEL 8 or 9" ;;
  esac
  arch=$(uname -m)
  [ "$arch" != aarch64 ] || arch=sbsa
  url=https://developer.download.nvidia.com/compute/cuda/repos/$from/$arch
  if [ "$family" = debian ]; then
    install_packages ca-certificates curl
    try curl -fsSL -o /tmp/cuda-keyring.deb "$url/cuda-keyring_1.1-1_all.deb"
    apt_get install -y /tmp/cuda-keyring.deb
    sources_ready=
  else
    prepare_sources
    try "$yum" -y install dnf-plugins-core
    "$yum" config-manager --add-repo "$url/cuda-$from.repo"
  fi
  nvidia_ready=yes
}

# The open kernel modules are for Turing and newer. Pascal and Volta need the others, whose last branch is 580, and CUDA 12.
install_driver() {
  nvidia_repository
  if [ "$family" = debian ]; then
    install_packages "linux-headers-$(uname -r)"
    if [ "$FL_GPU_OLD" = yes ]; then install_packages cuda-drivers-580; else install_packages nvidia-open; fi
  else
    install_packages "kernel-devel-$(uname -r)" kernel-headers
    stream=open-dkms
    [ "$FL_GPU_OLD" != yes ] || stream=580-dkms
    try "$yum" -y module install "nvidia-driver:$stream"
  fi
}

install_gpu_software() {
  nvidia_ready=
  has nvidia-smi || install_driver
  [ "$FL_GPU_SOFTWARE" = cuda ] && [ ! -x /usr/local/cuda/bin/nvcc ] || return 0
  nvidia_repository
  if [ "$FL_GPU_OLD" = yes ]; then install_packages cuda-toolkit-12-9; else install_packages cuda-toolkit; fi
  mkdir -p "$FL_ROOT/etc/profile.d"
  echo 'PATH=/usr/local/cuda/bin:$PATH' | put "$FL_ROOT/etc/profile.d/flotilla-cuda.sh" 0644
}
`
