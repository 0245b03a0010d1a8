import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, isOnInternet } from './outgoing'

/** A name server that does not respond must not delay a page: the ranges are only a suggestion. */
const LOOKUP_MS = 1000

/**
 * The console's public addresses as ranges: those of its machine, and those that its own URL resolves to. Behind NAT it
 * may connect from other addresses, so users can change the suggestion.
 */
export async function consoleRanges(siteUrl: string): Promise<string[]> {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])
  const host = URL.parse(siteUrl)?.hostname ?? ''
  const literal = addressOf(host)
  const named = literal === null ? await resolved(host) : [literal]
  const all = [...own, ...named].filter((address) => isIPv4(address) && isOnInternet(address))
  return [...new Set(all)].map((address) => `${address}/32`)
}

async function resolved(host: string): Promise<string[]> {
  if (host === '') return []
  const found = lookup(host, { all: true, family: 4 }).then((all) => all.map(({ address }) => address))
  return Promise.race([found, sleep(LOOKUP_MS, [], { ref: false })]).catch(() => [])
}
