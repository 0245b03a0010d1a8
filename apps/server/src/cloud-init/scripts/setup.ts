/** Sets up a machine step by step, and writes its progress to a file. It may be run again at any time. */
export const setup = String.raw`#!/bin/sh
. /usr/local/lib/flotilla/lib.sh
. "$lib/system.sh"
. "$lib/firewall.sh"
. "$lib/steps.sh"
. "$lib/manager.sh"
. "$lib/role.sh"
mkdir -p "$logs" "$state" /run/flotilla
chmod 0750 "$logs"
# One run at a time. -o: daemons that it starts do not inherit the lock.
if [ -z "$FL_LOCKED" ]; then
  FL_LOCKED=yes exec flock -o /run/flotilla/setup.lock "$0" "$@"
fi
unset FL_LOCKED
exec >>"$logs/setup.log" 2>&1
rm -f "$state/warnings" "$state/ready"

json_text() { printf '%s' "$1" | tr '\n\r\t' '   ' | tr -d '\000-\037\177' | cut -c 1-500 | sed 's/\\/\\\\/g; s/"/\\"/g'; }

status() { # state, step, message
  printf '{"state":"%s","step":"%s","ok":%s,"message":"%s","time":%s000,"warnings":[%s]}\n' \
    "$1" "$2" "$([ "$1" = failed ] && echo false || echo true)" "$(json_text "$3")" "$(date +%s)" \
    "$(paste -s -d , "$state/warnings" 2>/dev/null)" | put "$state/status.json" 0644
}

# Runs a step; on failure, its last line of output is in $words.
attempt() { # words, function
  case " $FLOTILLA_WITHOUT " in *" $2 "*) return 0 ;; esac
  status working "$1" ''
  printf '\n== %s: %s\n' "$(date '+%Y-%m-%d %H:%M:%S')" "$1"
  from=$(($(wc -c <"$logs/setup.log") + 1))
  (set -e; "$2") </dev/null
  code=$?
  [ "$code" = 0 ] || words=$(tail -c "+$from" "$logs/setup.log" | grep '[^[:space:]]' | tail -n 1)
  return "$code"
}

step() { # words, function
  attempt "$1" "$2" && return 0
  status failed "$1" "$words"
  exit 1
}

# An optional step: a failure is reported as a warning, and setup continues.
wish() { # words, function
  attempt "$1" "$2" || printf '"%s: %s"\n' "$1" "$(json_text "$words")" >>"$state/warnings"
}

read_system
step "create the console's account" console_account
step 'set the hostname' name_machine
step 'register with Red Hat' register_with_red_hat
step 'install base packages' install_base
step 'restrict instance metadata to root' restrict_metadata
wish 'open the local firewall to the cluster' open_firewall
role_steps
: >"$state/ready"
status ready 'ready' ''
`
