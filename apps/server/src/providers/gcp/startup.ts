/**
 * Google's images of Debian and the Red Hat family do not include cloud-init, so nothing would read the user data.
 * Google's own agent runs this at every boot; it does nothing if cloud-init is installed.
 */
export const startupScript = `#!/bin/sh
command -v cloud-init >/dev/null 2>&1 && exit 0
set -e
if command -v apt-get >/dev/null 2>&1
then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y cloud-init
elif command -v dnf >/dev/null 2>&1
then
  dnf install -y cloud-init
else
  yum install -y cloud-init
fi
cloud-init init --local
cloud-init init
cloud-init modules --mode=config
cloud-init modules --mode=final
`
