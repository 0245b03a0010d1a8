/**
 * A daemon that runs on every machine. On the head node it admits nodes that start; on a node it keeps names, folders,
 * accounts and packages in sync with the head node.
 */
export const follow = String.raw`#!/bin/sh
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
. "$lib/firewall.sh"
. "$lib/steps.sh"
. "$lib/accounts.sh"
. "$lib/manager.sh"
. "$lib/role.sh"
mkdir -p /run/flotilla
read_system
guard_metadata 2>/dev/null
open_firewall 2>/dev/null
follow_role
`
