// Efí's own schemas, strict, judge the bodies that our connector sent.
//
// Argument: a file with the fake's log. The SDK does not run them itself; they refuse every field
// that the bank does not know.

const fs = require("node:fs");
const sdk = require("sdk-node-apis-efi");
const { check, end } = require("./lines.cjs");

/** The schema of each operation's body. */
const SCHEMAS = {
  "efi.cob.create": "PixCreateChargeBodySchema",
  "efi.cob.update": "PixUpdateChargeBodySchema",
  "efi.refund.create": "PixDevolutionBodySchema",
  "efi.payout.create": "PixSendBodySchema",
  "efi.webhook.put": "PixConfigWebhookBodySchema",
  "cobrancas.create": "CreateOneStepChargeBodySchema",
};

const log = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));

async function judge() {
  for (const [operation, schema] of Object.entries(SCHEMAS)) {
    await check(`Efí's schema of ${operation}`, () => {
      const bodies = log.filter((entry) => entry.operation === operation).map(({ body }) => body);
      if (bodies.length === 0) {
        throw new Error("the connector sent none");
      }
      for (const body of bodies) {
        const { success, error } = sdk[schema].safeParse(body);
        if (!success) {
          throw new Error(`${JSON.stringify(error.issues)} in ${JSON.stringify(body)}`);
        }
      }
    });
  }
}

judge().then(end);
