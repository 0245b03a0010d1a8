import { api } from '@flotilla/contract/api'
import { afterAll, describe, expect, it } from 'vitest'
import { stackPlaces } from '../../../test/support/console/stack'
import { openStacks } from '../../../test/support/app/stack-app'

const { server, admin, maria, grace, credential, given, made, view, fileText } = await openStacks()
const ada = await server.person('adalove', ['user'])
afterAll(() => server.close())

const listed = async (as: string) =>
  (await server.must(api.stacks.list, {}, { token: as })).map(({ id }) => id)

describe('access to a stack', () => {
  it('collaborators can view and use it; only its owner and admins can change it', async () => {
    const { id } = await made({ collaborators: ['grace'] })
    expect(await listed(grace.token)).toContain(id)
    expect(await listed(ada.token)).not.toContain(id)
    expect((await view(id, ada.token)).status).toBe(404)
    expect((await view(id, grace.token)).json).toMatchObject({ mine: false })
    const body = { id, collaborators: ['adalove'] }
    const share = api.stacks.collaborators
    const scoped = { token: admin.token, admin: true }
    expect((await server.refused(share, { body }, { token: grace.token })).status).toBe(403)
    expect(await server.refused(share, { body }, { token: admin.token })).toMatchObject({
      code: 'admin_scope_needed',
    })
    expect(await server.must(share, { body }, scoped)).toMatchObject({
      stack: { collaborators: ['adalove'] },
    })
    // A collaborator may start clusters from it, and nothing else.
    expect((await view(id, ada.token)).status).toBe(200)
    expect((await server.refused(api.stacks.build, { body: { id } }, { token: ada.token })).status).toBe(403)
    expect((await view(id, grace.token)).status).toBe(404)
  })

  it('collaborators cannot read its scripts', async () => {
    const { id } = await made({ collaborators: ['grace'] }, { nodeProvisioner: [['a.sh', 'secret']] })
    expect((await fileText(id, 'nodeProvisioner', 'a.sh', grace.token)).status).toBe(403)
    expect((await fileText(id, 'nodeProvisioner', 'a.sh', admin.token)).status).toBe(200)
    expect((await fileText(id, 'nodeProvisioner', 'b.sh')).status).toBe(404)
  })

  it('a stack goes to another user when its owner is removed', async () => {
    const leaving = await server.person('leaving', ['instructor'])
    const { id } = await server.must(api.stacks.create, { body: given() }, { token: admin.token })
    await server.db.kysely.updateTable('stacks').set({ owner_id: leaving.id }).where('id', '=', id).execute()
    const removed = { id: leaving.id, newOwner: maria.id }
    expect(
      await server.refused(api.users.remove, { body: { id: leaving.id } }, { token: admin.token }),
    ).toMatchObject({ code: 'owner_needed' })
    await server.must(api.users.remove, { body: removed }, { token: admin.token })
    expect((await view(id)).json).toMatchObject({ owner: 'maria' })
  })
})

describe('deleting', () => {
  it('requires the right provider if one is given', async () => {
    const { id } = await made()
    const of = (provider: 'aws' | 'gcp') => ({ id, query: { provider } })
    const as = { token: maria.token }
    expect((await server.refused(api.stacks.remove, of('gcp'), as)).status).toBe(400)
    expect(await server.must(api.stacks.remove, of('aws'), as)).toEqual({ id })
    expect((await view(id)).status).toBe(404)
  })

  it('is rejected for a credential that a stack uses', async () => {
    await made({ name: 'Keeper' })
    const { status, json } = await server.answer(
      api.credentials.remove,
      { id: credential },
      { token: admin.token },
    )
    expect(status).toBe(409)
    expect(json).toMatchObject({
      code: 'in_use',
      uses: expect.arrayContaining([expect.objectContaining({ kind: 'stack', name: 'Keeper' })]),
    })
  })
})

describe('building', () => {
  it('fails with the missing fields before anything starts', async () => {
    const { id } = await made({ data: { source_os_type: 'debian-12' } })
    const refusal = await server.refused(api.stacks.build, { body: { id } }, { token: maria.token })
    expect(refusal.status).toBe(400)
    expect(refusal).toMatchObject({
      fields: { 'stack.data.region_id': 'Region is missing', 'stack.data.instance_id': 'Size is missing' },
    })
  })

  it('first saves the stack that the request contains', async () => {
    const { id } = await made({ data: { source_os_type: 'debian-12' } })
    const body = { id, stack: given({ name: 'Renamed', data: { ...stackPlaces.aws, manager: 'slurm' } }) }
    await server.refused(api.stacks.build, { body }, { token: maria.token })
    expect((await view(id)).json).toMatchObject({ name: 'Renamed', data: { region_id: 'us-east-1' } })
  })

  it('is rejected if the owner can no longer use the credential', async () => {
    const { id } = await made({ data: { ...stackPlaces.aws, manager: 'slurm' } })
    const share = (collaborators: string[]) =>
      server.must(
        api.credentials.collaborators,
        { body: { id: credential, collaborators } },
        { token: admin.token },
      )
    await share(['grace'])
    const answer = await server.refused(api.stacks.build, { body: { id } }, { token: maria.token })
    await share(['maria', 'grace'])
    const message = expect.stringContaining('maria can no longer use the credential One of aws')
    expect(answer).toMatchObject({ status: 403, message })
  })

  it('explains how to get Packer if it is missing', async () => {
    const { id } = await made({ data: { ...stackPlaces.aws, manager: 'slurm' } })
    const refusal = await server.refused(api.stacks.build, { body: { id } }, { token: maria.token })
    expect(refusal.status).toBe(503)
    expect(refusal).toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/Install Packer 1\.6 or newer/),
    })
    expect((await view(id)).json).toMatchObject({ state: 'none' })
  })

  it('the operating systems and public images of a provider are listed', async () => {
    const types = await server.must(api.stacks.osTypes, { provider: 'gcp' }, { token: ada.token })
    expect(types.map(({ id }) => id)).toContain('rocky-9')
    const reply = await server.must(api.stacks.imagesInfo, { provider: 'aws' }, { token: ada.token })
    expect(reply).toMatchObject({ stacks: [] })
    expect(reply.publicImages).toContainEqual({
      osType: 'debian-12',
      name: 'Debian 12',
      image: 'debian-12-amd64-*, debian-12-arm64-*',
      publisher: '136693071363',
      username: 'admin',
    })
    expect(
      (await server.refused(api.stacks.imagesInfo, { provider: 'nope' }, { token: ada.token })).status,
    ).toBe(404)
  })
})
