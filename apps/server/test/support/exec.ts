import { spawn } from 'node:child_process'
import type { CommandResult, Query } from '../../src/schedulers/scheduler'

interface Options {
  env: Record<string, string>
  stdin?: string
  uid?: number
}

/** Runs a command as a transport does: no shell, a fresh environment, and a program that is not there is code 127. */
export const exec = ([command = '', ...args]: string[], { env, stdin = '', uid }: Options) =>
  new Promise<CommandResult>((resolve) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, uid, cwd: '/' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: error.message }))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    // A command that does not read its input closes it.
    child.stdin.on('error', () => {}).end(stdin)
  })

/** Asks a scheduler's question where `env` leads. */
export const makeExecute =
  (env: Record<string, string>, uid?: number) =>
  async <T>(query: Query<T>): Promise<T> =>
    query.parse(await exec(query.argv, { env, stdin: query.stdin, uid }))
