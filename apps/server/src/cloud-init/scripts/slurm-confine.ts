/**
 * Confines jobs to their cores, memory and devices with control groups, if kernel and Slurm support cgroup v2. The head
 * node decides; nodes get the setting from the controller. The script is sourced.
 */
export const slurmConfine = String.raw`
groups=$FL_ROOT/sys/fs/cgroup/cgroup.controllers
controls() { grep -qw "$1" "$groups"; }
# Slurm does not start if cgroup v1 controllers are also in use.
has_cgroups() { [ -e "$groups" ] && ! grep -qv '^0::' "$FL_ROOT/proc/self/cgroup"; }
knows_cgroups() { find "$FL_ROOT/usr/lib" "$FL_ROOT/usr/lib64" -path '*slurm*' -name cgroup_v2.so 2>/dev/null | grep -q .; }
uses_cgroups() { has_cgroups && knows_cgroups; }

process_lines() {
  if ! uses_cgroups; then
    printf '%s\n' ProctrackType=proctrack/linuxproc TaskPlugin=task/affinity JobAcctGatherType=jobacct_gather/linux
    return
  fi
  printf '%s\n' ProctrackType=proctrack/cgroup TaskPlugin=task/cgroup,task/affinity
  if controls memory && controls cpu; then
    echo JobAcctGatherType=jobacct_gather/cgroup
  else
    echo JobAcctGatherType=jobacct_gather/linux
  fi
}

cgroup_conf() {
  if ! uses_cgroups; then
    # Since 22.05, the daemon exits if it does not support the system's control groups, even if it does not use them.
    version=$(slurmctld -V | sed 's/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1\2/')
    if [ "$version" -ge 2405 ]; then echo CgroupPlugin=disabled; elif [ "$version" -ge 2205 ]; then echo CgroupPlugin=cgroup/v1; fi
    return
  fi
  echo CgroupPlugin=cgroup/v2
  # If the service manager does not respond, the daemon creates the groups itself.
  if has_systemd; then echo IgnoreSystemdOnFailure=yes; else echo IgnoreSystemd=yes; fi
  ! controls cpuset || echo ConstrainCores=yes
  ! controls memory || echo ConstrainRAMSpace=yes
  echo ConstrainDevices=yes
}

confine_jobs() {
  has_cgroups || die 'Jobs are not confined to their cores, memory and GPUs: this system does not use cgroup v2 alone'
  knows_cgroups || die "Jobs are not confined to their cores, memory and GPUs: $(slurmctld -V) does not support cgroup v2"
  lacks=
  for one in cpuset memory; do controls "$one" || lacks="$lacks $one"; done
  [ -z "$lacks" ] || die "Jobs are only partly confined: this kernel has no cgroup v2 controller for$lacks"
}
`
