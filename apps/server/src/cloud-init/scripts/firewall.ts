export const VPN_PORT = 1194

/** The machine's own firewall. Its rules are created at every boot. The script is sourced. */
export const firewall = String.raw`# The machine's own firewall. It is sourced.
rule() { # iptables or ip6tables, chain, what: first in its chain, and only once
  tables=$1
  shift
  "$tables" -w -C "$@" 2>/dev/null || "$tables" -w -I "$@"
}

has_firewalld() { has firewall-cmd && firewall-cmd --state >/dev/null 2>&1; }
firewalld() {
  firewall-cmd --quiet --permanent "$@"
  firewall-cmd --quiet "$@"
}

# The cloud's metadata service, which also has the machine's user data, is for root only: not for user accounts,
# and not through OpenVPN. Azure has a second address. DNS stays allowed.
guard_metadata() {
  [ "$FL_METADATA" = root ] || return 0
  for address in 169.254.169.254 168.63.129.16; do
    rule iptables OUTPUT -d "$address" -p tcp ! --dport 53 -m owner ! --uid-owner 0 -j REJECT
    rule iptables FORWARD -t mangle -d "$address" -j DROP
  done
  for address in fd00:ec2::254 fd20:ce::254; do
    rule ip6tables OUTPUT -d "$address" -p tcp -m owner ! --uid-owner 0 -j REJECT || true
  done
}

# Also at every boot, before anyone can log in or run a job.
restrict_metadata() {
  guard_metadata
  if has_systemd; then systemctl enable flotilla-guard; fi
}

# Some clouds' images only allow incoming SSH.
open_firewall() {
  for network in $(networks); do
    if has_firewalld; then
      firewalld --zone=trusted --add-source="$network"
    elif has iptables; then
      rule iptables INPUT -s "$network" -j ACCEPT
    fi
  done
}

# Traffic from OpenVPN clients to the nodes gets the head node's source address.
vpn_rules() { # what to do with each
  clients=$(cat "$etc/openvpn-network")
  "$1" iptables POSTROUTING -t nat -s "$clients" -j MASQUERADE
  has_firewalld || {
    "$1" iptables INPUT -p udp --dport ${VPN_PORT} -j ACCEPT
    "$1" iptables INPUT -s "$clients" -j ACCEPT
    "$1" iptables FORWARD -s "$clients" -j ACCEPT
    "$1" iptables FORWARD -d "$clients" -j ACCEPT
  }
}
no_rule() {
  tables=$1
  shift
  "$tables" -w -D "$@" 2>/dev/null || true
}

forward_vpn() {
  [ -s "$etc/openvpn-network" ] || return 0
  echo 1 >"$FL_ROOT/proc/sys/net/ipv4/ip_forward"
  vpn_rules rule
  has_firewalld || return 0
  firewalld --add-port=${VPN_PORT}/udp
  firewalld --zone=trusted --add-source="$(cat "$etc/openvpn-network")"
}

stop_forwarding_vpn() {
  [ -s "$etc/openvpn-network" ] || return 0
  vpn_rules no_rule
  has_firewalld || return 0
  firewalld --remove-port=${VPN_PORT}/udp
  firewalld --zone=trusted --remove-source="$(cat "$etc/openvpn-network")"
}
`

/** Run by the unit below. */
export const guard = `#!/bin/sh
. /usr/local/lib/flotilla/lib.sh
. "$lib/firewall.sh"
guard_metadata
`

export const guardUnit = `[Unit]
Description=Restricts instance metadata to root
After=netfilter-persistent.service iptables.service firewalld.service
Before=ssh.service sshd.service slurmd.service pbs_mom.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/lib/flotilla/guard

[Install]
WantedBy=multi-user.target
`
