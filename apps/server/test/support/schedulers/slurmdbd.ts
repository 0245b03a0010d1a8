import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

type Options = {
  folder: string
  cluster: string
  ports: { database: number; accounting: number }
  /** Starts a daemon in the foreground under a name. */
  start(name: string, command: string, args: string[]): void
  ready(name: string, isReady: () => Promise<boolean>): Promise<unknown>
  answer(...argv: [string, ...string[]]): Promise<string>
}

/** The lines in slurm.conf for accounting. */
export const accountingLines = (folder: string, port: number): string[] => [
  'AccountingStorageType=accounting_storage/slurmdbd',
  'AccountingStorageHost=localhost',
  `AccountingStoragePort=${port}`,
  `AccountingStoragePass=${path.join(folder, 'munge.sock')}`,
  'AccountingStorageTRES=gres/gpu',
  'JobAcctGatherType=jobacct_gather/none',
]

/** Starts MariaDB and slurmdbd, which must run before the controller starts. */
export async function startAccounting({
  folder,
  cluster,
  ports,
  start,
  ready,
  answer,
}: Options): Promise<void> {
  const at = (...parts: string[]) => path.join(folder, ...parts)
  const account = os.userInfo().username
  const password = randomBytes(12).toString('hex')
  await mkdir(at('mariadb'))
  const made = ['--no-defaults', `--datadir=${at('mariadb')}`, `--user=${account}`]
  await answer('mariadb-install-db', ...made, '--auth-root-authentication-method=normal', '--skip-test-db')
  await writeFile(
    at('mariadb.sql'),
    `create database slurm_acct_db;
     create user 'slurm'@'127.0.0.1' identified by '${password}';
     grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1';`,
    { mode: 0o600 },
  )
  start('mariadb', 'mariadbd', [
    ...made,
    `--socket=${at('mariadb.sock')}`,
    `--port=${ports.database}`,
    '--bind-address=127.0.0.1',
    `--pid-file=${at('mariadb.pid')}`,
    `--init-file=${at('mariadb.sql')}`,
    `--log-error=${at('log', 'mariadb.log')}`,
    '--innodb-buffer-pool-size=16M',
  ])
  await ready('mariadb', async () =>
    (await readFile(at('log', 'mariadb.log'), 'utf8').catch(() => '')).includes('ready for connections'),
  )
  const lines = [
    'DbdHost=localhost',
    `DbdPort=${ports.accounting}`,
    `SlurmUser=${account}`,
    `AuthInfo=socket=${at('munge.sock')}`,
    `PidFile=${at('slurmdbd.pid')}`,
    `LogFile=${at('log', 'slurmdbd.log')}`,
    'StorageType=accounting_storage/mysql',
    'StorageHost=127.0.0.1',
    `StoragePort=${ports.database}`,
    'StorageUser=slurm',
    `StoragePass=${password}`,
    'StorageLoc=slurm_acct_db',
  ]
  // slurmdbd looks for this file beside slurm.conf, and refuses one that others may read.
  await writeFile(at('slurmdbd.conf'), `${lines.join('\n')}\n`, { mode: 0o600 })
  start('slurmdbd', 'slurmdbd', ['-D'])
  await ready('slurmdbd', async () => (await answer('sacctmgr', '-n', 'show', 'tres')).includes('cpu'))
  await answer('sacctmgr', '-i', 'add', 'cluster', cluster)
}
