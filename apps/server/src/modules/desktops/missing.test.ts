import { expect, it } from 'vitest'
import { missingText } from './missing'

it('names missing programs and how to install them on the system', () => {
  expect(missingText('folder /home/ada/.flotilla/desktops/x\n', 'Ganymede')).toBeNull()
  const debian = missingText('missing Xvnc window-manager\nsystem debian\n', 'Ganymede')
  expect(debian).toContain('a VNC server (Xvnc) and a window manager on the head node of Ganymede')
  expect(debian).toContain('apt-get install tigervnc-standalone-server tigervnc-common openbox xterm')
  expect(debian).not.toContain('dnf')
  expect(debian).toContain('stacks with "Remote desktop" turned on')
  expect(missingText('missing Xvnc\nsystem rocky rhel centos fedora\n', 'Ganymede')).toContain('dnf install')
  expect(missingText('missing Xvnc\n', 'Ganymede')).toMatch(/apt-get .* or .*dnf/)
})
