/** A command that users paste into their shell as is. */
export function sshCommand(head: { host: string; port: number }, account: string): string {
  const port = head.port === 22 ? '' : ` -p ${head.port}`
  return `ssh -i ${account}.pem${port} ${account}@${head.host}`
}
