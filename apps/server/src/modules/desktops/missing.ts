import { listText } from '@flotilla/contract/count-text'

const installs = [
  {
    of: /debian|ubuntu/,
    command: 'apt-get install tigervnc-standalone-server tigervnc-common openbox xterm',
  },
  // openbox comes from EPEL.
  {
    of: /rhel|fedora|centos/,
    command: 'dnf install epel-release && dnf install tigervnc-server openbox xterm',
  },
  { of: /suse/, command: 'zypper install xorg-x11-Xvnc openbox xterm' },
]
const names: Record<string, string> = {
  Xvnc: 'a VNC server (Xvnc)',
  'window-manager': 'a window manager',
  perl: 'perl or python3',
}

/** The programs that the check script reports as missing and how to install them; null if there are none. */
export function missingText(answer: string, clusterName: string): string | null {
  const missing = /^missing (.+)$/m.exec(answer)?.[1]?.split(' ')
  if (!missing) return null
  const system = /^system (.+)$/m.exec(answer)?.[1] ?? ''
  const known = installs.filter(({ of }) => of.test(system))
  const how = (known.length > 0 ? known : installs.slice(0, 2)).map(({ command }) => `"${command}"`)
  return (
    `Desktops need ${listText(missing.map((name) => names[name] ?? name))} on the head node of ${clusterName}, ` +
    `which is not installed. Ask its administrator to run ${how.join(' (Debian, Ubuntu) or ')}. ` +
    'Images of stacks with "Remote desktop" turned on have it.'
  )
}
