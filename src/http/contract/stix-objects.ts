/** STIX 2.1 objects as weir writes them, and the bundle that holds some. */

import { Type } from '@sinclair/typebox'
import { confidence, time } from './records.ts'
import { oneOf } from './schemas.ts'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The id of an object of one of these types. */
const idOf = (...types: readonly string[]) =>
  Type.String({ pattern: `^(?:${types.join('|')})--${uuid}$` })

const words = Type.Array(Type.String(), { minItems: 1 })

/** What every object begins with that has versions. */
const frame = <const Name extends string>(type: Name) => ({
  type: Type.Literal(type),
  spec_version: Type.Literal('2.1'),
  id: idOf(type),
  created_by_ref: idOf('identity'),
  created: time,
  modified: time,
  object_marking_refs: Type.Array(idOf('marking-definition'), { minItems: 1 }),
})

const revoked = Type.Optional(
  Type.Literal(true, { description: 'It was a mistake; this version is its last.' }),
)

const indicator = Type.Object(
  {
    ...frame('indicator'),
    revoked,
    name: Type.String({ description: 'The value itself.' }),
    description: Type.String(),
    indicator_types: Type.Array(oneOf(['malicious-activity', 'benign', 'unknown']), {
      minItems: 1,
    }),
    pattern: Type.String({ description: 'One comparison, by equality.' }),
    pattern_type: Type.Literal('stix'),
    pattern_version: Type.Literal('2.1'),
    valid_from: time,
    valid_until: Type.Optional(time),
    confidence: Type.Optional(confidence),
    labels: Type.Optional(words),
  },
  {
    $id: 'StixIndicator',
    description:
      'A listing. One that has ended has `valid_until`, and no threat is described any more.',
  },
)

const intrusionSet = Type.Object(
  {
    ...frame('intrusion-set'),
    name: Type.String(),
    description: Type.String(),
    aliases: words,
    first_seen: time,
    last_seen: Type.Optional(time),
    goals: words,
    primary_motivation: Type.Literal('personal-gain'),
    labels: words,
  },
  { $id: 'StixIntrusionSet', description: 'Those who imitate a brand; not a known group.' },
)

const malware = Type.Object(
  {
    ...frame('malware'),
    name: Type.String(),
    description: Type.String(),
    is_family: Type.Literal(true),
    malware_types: words,
    labels: words,
  },
  { $id: 'StixMalware', description: 'A malware family.' },
)

const { created_by_ref: creator, ...ofNobody } = frame('identity')

const identity = Type.Object(
  {
    ...ofNobody,
    created_by_ref: Type.Optional(creator),
    name: Type.String(),
    description: Type.String(),
    identity_class: Type.Literal('organization'),
  },
  { $id: 'StixIdentity', description: 'A brand that is imitated, or weir, which states all this.' },
)

const relationship = Type.Object(
  {
    ...frame('relationship'),
    revoked,
    relationship_type: oneOf(['indicates', 'targets']),
    source_ref: idOf('indicator', 'intrusion-set'),
    target_ref: idOf('intrusion-set', 'malware', 'identity'),
    stop_time: Type.Optional(time),
  },
  {
    $id: 'StixRelationship',
    description:
      'An indicator `indicates` an intrusion set or a malware family; an intrusion set `targets` a brand.',
  },
)

const marking = Type.Object(
  {
    type: Type.Literal('marking-definition'),
    spec_version: Type.Literal('2.1'),
    id: idOf('marking-definition'),
    created: time,
    definition_type: Type.Literal('tlp'),
    name: Type.Literal('TLP:WHITE'),
    definition: Type.Object({ tlp: Type.Literal('white') }),
  },
  { $id: 'StixMarking', description: 'TLP:WHITE: everything may be passed on.' },
)

export const stixObject = Type.Union(
  [indicator, intrusionSet, malware, identity, relationship, marking],
  {
    $id: 'StixObject',
    description: '`type` tells which.',
  },
)

/** The objects of a page. */
export const stixObjects = Type.Array(stixObject, {
  minItems: 1,
  description: 'Left out when there are none: STIX and TAXII know no empty lists.',
})

export const stixBundle = Type.Object(
  {
    type: Type.Literal('bundle'),
    id: Type.String({ pattern: `^bundle--${uuid}$`, description: 'New with each answer.' }),
    objects: Type.Optional(stixObjects),
  },
  { $id: 'StixBundle' },
)
