// How a script reports its checks: a line for each, and `end` after the last one.

/** Runs a check; a failed one has no answer, and what needs that answer fails, too. */
exports.check = async (name, run) => {
  try {
    const answer = await run();
    console.log(`ok ${name}`);
    return answer;
  } catch (error) {
    console.log(`FAILED ${name} | ${String(error.message ?? error).replaceAll("\n", " ")}`);
  }
};

exports.end = () => console.log("end");

/** An operation of the fake's own. */
exports.admin = async (fake, path, body) => {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(fake.plain + path, body && post);
  return answer.json();
};
