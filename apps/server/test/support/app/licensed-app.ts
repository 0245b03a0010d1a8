import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { makeKeyPair, signLicense } from '../../../src/modules/license/file'
import { testApp, type TestApp } from './app'

type LicensedApp = {
  server: TestApp
  /** Replaces the license; the server reads the file again at each use. */
  license(licenseType: string): Promise<void>
  close(): Promise<void>
}

/** A server with a license of this type, which a test can replace. */
export async function licensedApp(licenseType: string): Promise<LicensedApp> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-licensed-'))
  const [file, publicKeyFile] = [path.join(folder, 'license.json'), path.join(folder, 'license.pub')]
  const keys = makeKeyPair()
  const license = (type: string) =>
    writeFile(
      file,
      signLicense({ licenseType: type, issuedTo: 'Test', validFrom: 0, validUntil: 4e12 }, keys.privateKey),
    )
  await writeFile(publicKeyFile, keys.publicKey)
  await license(licenseType)
  const server = await testApp({ LICENSE_FILE: file, LICENSE_PUBLIC_KEY_FILE: publicKeyFile })
  const close = async () => {
    await server.close()
    await rm(folder, { recursive: true })
  }
  return { server, license, close }
}
