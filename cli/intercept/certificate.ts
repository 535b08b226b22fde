import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as x509 from "@peculiar/asn1-x509";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "../../src/domain/random.ts";

/** The certificate and key of a TLS server, and the authority that its clients must trust, as PEM. */
export interface Certificates {
  /** Of the authority, whose key is not kept. */
  readonly authority: string;
  readonly certificate: string;
  /** The same, also with a final dot, which some clients do not remove; others refuse a certificate with such a name. */
  readonly dotted: string;
  readonly key: string;
}

/** The command's clock may be wrong, or a test may set it back. A run is shorter than this. */
const DAY_MS = 86_400_000;

const ECDSA_WITH_SHA256 = new x509.AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });

/** Creates a certificate for these hosts, and an authority for them only, whose key is not kept. */
export function makeCertificates(hosts: readonly string[], clock: Clock, random: Random): Certificates {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyId = random.bytes(20);
  const issue = (publicKey: KeyObject, subject: string, extensions: readonly x509.Extension[]): Buffer => {
    const content = new x509.TBSCertificate({
      version: x509.Version.v3,
      // A serial number is positive and does not start with a zero.
      serialNumber: new Uint8Array([1, ...random.bytes(15)]).buffer,
      signature: ECDSA_WITH_SHA256,
      issuer: commonName(AUTHORITY),
      subject: commonName(subject),
      validity: new x509.Validity({
        notBefore: new Date(clock.nowMs() - DAY_MS),
        notAfter: new Date(clock.nowMs() + 7 * DAY_MS),
      }),
      subjectPublicKeyInfo: AsnConvert.parse(
        publicKey.export({ type: "spki", format: "der" }),
        x509.SubjectPublicKeyInfo,
      ),
      extensions: new x509.Extensions([...extensions]),
    });
    const signature = sign("sha256", Buffer.from(AsnConvert.serialize(content)), authority.privateKey);
    const certificate = new x509.Certificate({
      tbsCertificate: content,
      signatureAlgorithm: ECDSA_WITH_SHA256,
      signatureValue: new Uint8Array(signature).buffer,
    });
    return Buffer.from(AsnConvert.serialize(certificate));
  };
  const issueFor = (dNSNames: readonly string[]) =>
    issue(server.publicKey, "momo exec --intercept", [
      extension(
        x509.id_ce_subjectAltName,
        new x509.SubjectAlternativeName(dNSNames.map((dNSName) => new x509.GeneralName({ dNSName }))),
      ),
      extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
      extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature), true),
      extension(
        x509.id_ce_authorityKeyIdentifier,
        new x509.AuthorityKeyIdentifier({ keyIdentifier: new x509.KeyIdentifier(keyId) }),
      ),
    ]);
  return {
    authority: pem(
      issue(authority.publicKey, AUTHORITY, [
        extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
        extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.keyCertSign), true),
        extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyId)),
      ]),
    ),
    certificate: pem(issueFor(hosts)),
    dotted: pem(issueFor(hosts.flatMap((host) => [host, `${host}.`]))),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const AUTHORITY = "momo, for one run of momo exec --intercept";

const commonName = (text: string) =>
  new x509.Name([
    new x509.RelativeDistinguishedName([
      new x509.AttributeTypeAndValue({ type: "2.5.4.3", value: new x509.AttributeValue({ utf8String: text }) }),
    ]),
  ]);

const extension = (extnID: string, value: object, critical = false) =>
  new x509.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const pem = (certificate: Buffer): string => new X509Certificate(certificate).toString();
