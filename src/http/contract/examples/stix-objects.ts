/** STIX objects that several examples hold. */

const markingId = 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9'
const publisherId = 'identity--3c449b3d-586a-5eb4-ab07-d716a1895898'
const firstRead = '2026-03-12T08:01:00.000Z'

/** What an object of weir's begins with. */
const frame = (id: string, created: string, modified = created) => ({
  type: id.slice(0, id.indexOf('--')),
  spec_version: '2.1',
  id,
  created_by_ref: publisherId,
  created,
  modified,
  object_marking_refs: [markingId],
})

const listed = { indicator_types: ['malicious-activity'] } as const
const patterned = { pattern_type: 'stix', pattern_version: '2.1' } as const

/** TLP:WHITE. */
export const marking = {
  type: 'marking-definition',
  spec_version: '2.1',
  id: markingId,
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: 'TLP:WHITE',
  definition: { tlp: 'white' },
} as const

/** Who states all this. */
export const publisher = {
  type: 'identity',
  spec_version: '2.1',
  id: publisherId,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  object_marking_refs: [markingId],
  name: 'weir',
  description: 'A phishing threat-data service: what feeds, reports and its operator have listed.',
  identity_class: 'organization',
} as const

const paypal = 'identity--899e390c-d9be-5345-a1c1-4c91d4297f2c'
const paypalSet = 'intrusion-set--8b305090-6126-5c23-92e5-49240f5703fe'
const paypalIndicator = 'indicator--83dd012b-6fdf-5927-9a0b-f1d6fedfd2ee'

/** A domain that imitates a brand. */
export const campaignIndicator = {
  ...frame(paypalIndicator, firstRead),
  name: 'paypa1-account.example',
  description: 'Domain listed for phishing; it imitates PayPal.',
  ...listed,
  pattern: "[domain-name:value = 'paypa1-account.example']",
  ...patterned,
  valid_from: firstRead,
  confidence: 80,
  labels: ['phishing', 'threat-level:high', 'brand:paypal'],
} as const

/** A brand, those who imitate it, a domain of theirs, and how they belong together. */
export const campaign = [
  {
    ...frame(paypal, firstRead),
    name: 'PayPal',
    description: 'A brand that others imitate.',
    identity_class: 'organization',
  },
  {
    ...frame(paypalSet, firstRead),
    name: 'PayPal impersonation',
    description: 'Whoever imitates PayPal: sites and addresses, not a known group.',
    aliases: ['PayPal'],
    first_seen: firstRead,
    goals: ['credential theft'],
    primary_motivation: 'personal-gain',
    labels: ['brand:paypal'],
  },
  {
    ...frame('relationship--9fbdc4ad-aebf-525a-b339-d1efcd372878', firstRead),
    relationship_type: 'targets',
    source_ref: paypalSet,
    target_ref: paypal,
  },
  campaignIndicator,
  {
    ...frame('relationship--f9bf9382-4199-529b-b352-a24a7193cd2c', firstRead),
    relationship_type: 'indicates',
    source_ref: paypalIndicator,
    target_ref: paypalSet,
  },
] as const

/** A page. */
export const pageIndicator = {
  ...frame('indicator--27b93bc2-bd10-54b6-84e2-51730c6431ae', firstRead),
  name: 'https://winter-sale.hosting.example/login',
  description: 'Page listed for phishing.',
  ...listed,
  pattern: "[url:value = 'https://winter-sale.hosting.example/login']",
  ...patterned,
  valid_from: firstRead,
  confidence: 80,
  labels: ['phishing', 'threat-level:high'],
} as const

const otherRead = '2026-03-12T09:01:00.000Z'

/** A domain that another source lists, and is not sure of. */
export const unsureIndicator = {
  ...frame('indicator--dee61652-b442-5c1f-bc18-c65cf447b27e', otherRead),
  name: 'perhaps-phishing.example',
  description: 'Domain listed for phishing.',
  ...listed,
  pattern: "[domain-name:value = 'perhaps-phishing.example']",
  ...patterned,
  valid_from: otherRead,
  confidence: 40,
  labels: ['phishing', 'threat-level:low'],
} as const

const secondRead = '2026-03-12T09:02:00.000Z'
const justAfter = '2026-03-12T09:02:00.001Z'

/** A domain that has come. */
export const newIndicator = {
  ...frame('indicator--11c85920-8a44-56bd-bdd9-84d51d82d43e', secondRead),
  name: 'mailbox-upgrade.example',
  description: 'Domain listed for phishing; it imitates Microsoft.',
  ...listed,
  pattern: "[domain-name:value = 'mailbox-upgrade.example']",
  ...patterned,
  valid_from: secondRead,
  confidence: 80,
  labels: ['phishing', 'threat-level:high', 'brand:microsoft'],
} as const

/** A domain that has gone. */
export const endedIndicator = {
  ...frame('indicator--de05d892-bf38-51fa-8165-80bfe2e7b64b', firstRead, justAfter),
  name: 'parcel-fee.example',
  description: 'Domain no longer listed.',
  indicator_types: ['unknown'],
  pattern: "[domain-name:value = 'parcel-fee.example']",
  ...patterned,
  valid_from: firstRead,
  valid_until: justAfter,
} as const
