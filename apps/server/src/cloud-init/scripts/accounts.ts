/** User accounts: one file per account in the control folder, with its uid and keys. The script is sourced. */
export const accounts = String.raw`# Accounts of people. It is sourced.
# An account's file: its uid, the user's key, and the key for SSH between machines.
is_account_name() { matches "$1" '[a-z_][a-z0-9_-]{0,31}'; }
is_uid() { matches "$1" '[1-9][0-9]{3,8}'; }
is_public_key() { matches "$1" '(ssh|ecdsa|sk)[a-z0-9@.-]* [A-Za-z0-9+/=]+( [^[:cntrl:]]*)?'; }

make_account() { # name, number
  have=$(id -u "$1" 2>/dev/null || true)
  [ "$have" != "$2" ] || return 0
  [ -z "$have" ] || die "The account $1 already exists on $FL_NAME with the uid $have"
  taken=$(getent passwd "$2" | cut -d: -f1)
  [ -z "$taken" ] || die "The uid $2 belongs to the account $taken on $FL_NAME"
  getent group "$1" >/dev/null || groupadd --gid "$2" "$1"
  useradd --uid "$2" --gid "$1" --home-dir "/home/$1" --no-create-home --shell /bin/bash --password '*' "$1"
}

# .ssh is created as the user: inside their home, root would follow their symlinks.
make_home() { # name, keys
  # Move aside the home of an earlier account with this name.
  owner=$(stat -c %u "/home/$1" 2>/dev/null || id -u "$1")
  [ "$owner" = "$(id -u "$1")" ] || mv -T "/home/$1" "/home/$1.$owner"
  if [ ! -d "/home/$1" ]; then
    install -d -m 0700 "/home/$1"
    cp -R /etc/skel/. "/home/$1"
    chown -R -h "$1:$1" "/home/$1"
  fi
  printf '%s\n' "$2" | as_person "$1" 'umask 077
    mkdir -p .ssh
    { grep -v " flotilla$" .ssh/authorized_keys 2>/dev/null; cat; } >.ssh/authorized_keys.new
    mv -f .ssh/authorized_keys.new .ssh/authorized_keys'
  if has restorecon; then restorecon -R "/home/$1/.ssh" || true; fi
}

as_person() { # name, script
  (cd "/home/$1" && exec runuser -u "$1" -- env -i HOME="/home/$1" PATH="$PATH" /bin/sh -c "$2")
}

drop_account() {
  pkill -KILL -u "$1" || true
  ! id -u "$1" >/dev/null 2>&1 || userdel "$1" || userdel --force "$1"
  ! getent group "$1" >/dev/null || groupdel "$1" || true
}

# Marks our keys, so that they can be replaced later.
marked() { printf '%s' "$1" | awk '{ print $1, $2, "flotilla" }'; }

`

/** Run by the console on the head node. Returns when every running node has the account. */
export const accountCommand = String.raw`#!/bin/sh
# flotilla-account add <name> <number> <public key> | remove <name> [with-files]
. /usr/local/lib/flotilla/lib.sh
. "$lib/accounts.sh"
. "$lib/manager.sh"
set -e
if [ -z "$FL_LOCKED" ]; then
  mkdir -p /run/flotilla
  FL_LOCKED=yes exec flock -o /run/flotilla/accounts.lock "$0" "$@"
fi
unset FL_LOCKED

# Nodes report the generation of accounts they have; one that has not reported for 15 seconds is not up.
lagging() {
  now=$(date +%s)
  for file in "$inbox"/alive/*; do
    [ -f "$file" ] && [ $((now - $(stat -c %Y "$file"))) -le 15 ] || continue
    [ "$(timeout 5 head -c 20 "$file")" -ge "$generation" ] || return 0
  done
  return 1
}

tell_nodes() {
  generation=$(($(cat "$control/generation") + 1))
  printf '%s\n' "$generation" | put "$control/generation" 0644
  left=30
  while lagging && [ "$left" -gt 0 ]; do
    sleep 0.5
    left=$((left - 1))
  done
}

is_account_name "$2" || die 'Not a valid account name'
case $1 in
  add)
    is_uid "$3" || die 'Not a valid uid'
    is_public_key "$4" || die 'Not a public key'
    [ -e "$control/accounts/$2" ] || ! id -u "$2" >/dev/null 2>&1 ||
      die "The account $2 on $FL_NAME was not created by the console"
    make_account "$2" "$3"
    make_home "$2" "$(marked "$4")"
    # For SSH between the cluster's machines from the user's own jobs.
    as_person "$2" '[ -s .ssh/id_ed25519.pub ] || ssh-keygen -q -t ed25519 -N "" -f .ssh/id_ed25519'
    own=$(as_person "$2" 'head -c 1000 .ssh/id_ed25519.pub')
    is_public_key "$own" || die "The cluster's internal SSH key cannot be read"
    make_home "$2" "$(marked "$4")
$(marked "$own")"
    printf '%s\n%s\n%s\n' "$3" "$(marked "$4")" "$(marked "$own")" >"$state/account.new"
    cmp -s "$state/account.new" "$control/accounts/$2" && exit 0
    put "$control/accounts/$2" 0644 <"$state/account.new"
    record_user "$2"
    tell_nodes
    ;;
  remove)
    [ -e "$control/accounts/$2" ] || exit 0
    rm -f "$control/accounts/$2"
    tell_nodes
    forget_user "$2"
    drop_account "$2"
    [ "$3" != with-files ] || rm -rf --one-file-system "/home/$2"
    ;;
  *) die 'flotilla-account add <name> <number> <public key> | remove <name> [with-files]' ;;
esac
`
