/**
 * Names of the console's own accounts and of system accounts: where accounts are matched by name, such a user could be
 * mistaken for a service. The list contains only names that the username rules allow: letters and digits, at least
 * four.
 */
const restrictedUsernames = new Set(
  [
    'admin administrator root toor superuser system sysadmin operator guest nobody nogroup daemon sync games mail news uucp',
    'proxy wwwdata backup list gnats http httpd apache nginx postfix sshd dbus systemd messagebus polkitd chrony named bind',
    'dnsmasq avahi tcpdump halt shutdown statd rpcuser users wheel sudo staff docker podman libvirt qemu usbmux nfsnobody',
    'postgres mysql mariadb mongodb redis memcached rabbitmq slurm slurmd slurmdbd slurmrestd munge torque maui moab condor',
    'ubuntu debian centos fedora rocky almalinux azureuser ec2user vagrant ansible jenkins openvpn flotilla console packer',
  ].flatMap((names) => names.split(' ')),
)

/** Ignores punctuation: `www-data` is as restricted as `wwwdata`. */
export const isRestrictedUsername = (name: string): boolean =>
  restrictedUsernames.has(name.replace(/[^a-z0-9]/g, ''))
