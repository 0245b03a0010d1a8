import { spawn } from 'node:child_process'
import type { CommandResult, Query } from '../../src/schedulers/scheduler'

interface Options {
  env: Record<string, string>
  stdin?: string
  uid?: number
}

/** Runs a command as a transport does: no shell, a fresh environment, and exit code 127 for a missing program. */
export const exec = ([command = '', ...args]: string[], { env, stdin = '', uid }: Options) =>
  new Promise<CommandResult>((resolve) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, uid, cwd: '/' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: error.message }))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    // Writing fails if the command does not read its input.
    child.stdin.on('error', () => {}).end(stdin)
  })

/** Makes a function that runs a scheduler's queries with these environment variables. */
export const makeExecute =
  (env: Record<string, string>, uid?: number) =>
  async <T>(query: Query<T>): Promise<T> =>
    query.parse(await exec(query.argv, { env, stdin: query.stdin, uid }))
