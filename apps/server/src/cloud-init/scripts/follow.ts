/**
 * Runs for as long as the machine does. On the head node it takes in the nodes that come up; on a node it keeps names,
 * folders, accounts and packages as the head node has them.
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
