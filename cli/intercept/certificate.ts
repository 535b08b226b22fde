import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "../../src/domain/random.ts";

/** What a TLS server shows, and what its clients must trust; all as PEM. */
export interface Certificates {
  /** Of the authority: the only part that is ever written to a file. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** The clock of the command's machine may be wrong, or be set back by a test; a run is shorter than this. */
const DAY_MS = 86_400_000;

const ECDSA_WITH_SHA256 = new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });

/** A certificate for these hosts, by an authority that exists for this call alone: nobody has its key afterwards. */
export function makeCertificates(hosts: readonly string[], clock: Clock, random: Random): Certificates {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyId = random.bytes(20);
  const issue = (publicKey: KeyObject, subject: string, extensions: readonly Extension[]): string => {
    const content = new TBSCertificate({
      version: Version.v3,
      // Positive, and no number begins with a zero.
      serialNumber: new Uint8Array([1, ...random.bytes(15)]).buffer,
      signature: ECDSA_WITH_SHA256,
      issuer: commonName(AUTHORITY),
      subject: commonName(subject),
      validity: new Validity({
        notBefore: new Date(clock.nowMs() - DAY_MS),
        notAfter: new Date(clock.nowMs() + 7 * DAY_MS),
      }),
      subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo),
      extensions: new Extensions([...extensions]),
    });
    const signature = sign("sha256", Buffer.from(AsnConvert.serialize(content)), authority.privateKey);
    return pem(
      new Certificate({
        tbsCertificate: content,
        signatureAlgorithm: ECDSA_WITH_SHA256,
        signatureValue: new Uint8Array(signature).buffer,
      }),
    );
  };
  return {
    authority: issue(authority.publicKey, AUTHORITY, [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId)),
    ]),
    certificate: issue(server.publicKey, "momo exec --intercept", [
      extension(id_ce_subjectAltName, new SubjectAlternativeName(hosts.map((dNSName) => new GeneralName({ dNSName })))),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId) })),
    ]),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const AUTHORITY = "momo, for one run of momo exec --intercept";

const commonName = (text: string) =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: "2.5.4.3", value: new AttributeValue({ utf8String: text }) }),
    ]),
  ]);

const extension = (extnID: string, value: object, critical = false) =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

function pem(certificate: Certificate): string {
  const lines =
    Buffer.from(AsnConvert.serialize(certificate))
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
