//! Password hashes for `/etc/shadow`: SHA-512-crypt, which is `$6$` in `crypt(3)`.

use sha2::{Digest, Sha512};

use super::arguments::{Args, FunctionResult};
use super::function::Function;

pub(super) static FUNCTIONS: &[Function] = &[Function::new(
    "sha512crypt",
    "password, salt, rounds",
    "The hash of a password for `/etc/shadow`, with a salt of up to 16 letters, digits, `.` and `/`, and with 5000 rounds or as many as \
     are given. The same salt gives the same hash, so that nothing changes from run to run; each user should have another one.",
    [
        r#"substr(sha512crypt("Hello world!", "saltstring"), 0, 23)"#,
        r#""$6$saltstring$svn8UoSVa""#,
    ],
)
.takes(2, 3)
.runs_deep(sha512crypt)];

/// The default number of rounds of `crypt(3)`.
const ROUNDS: usize = 5000;

/// The maximum number of rounds, which takes a tenth of a second.
const MAX_ROUNDS: usize = 100_000;

/// The cost of a round in evaluation steps.
const STEPS_PER_ROUND: usize = 32;

/// The maximum length of a password in bytes, as in `crypt(3)`.
const MAX_PASSWORD: usize = 512;

const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn sha512crypt(args: &mut Args<'_>) -> FunctionResult {
    let (password, salt) = (args.text(0)?, args.text(1)?);
    if password.len() > MAX_PASSWORD {
        return Err(args.refuse_at(0, format!("a password has at most {MAX_PASSWORD} bytes")));
    }
    if password.contains('\0') {
        return Err(args.refuse_at(0, "a password cannot hold a zero byte"));
    }
    if !(1..=16).contains(&salt.len()) || !salt.bytes().all(|byte| ALPHABET.contains(&byte)) {
        return Err(args.refuse_at(1, "a salt has 1 to 16 of the letters, the digits, `.` and `/`"));
    }
    let rounds = if args.count() == 3 {
        let rounds = usize::try_from(args.int(2)?).ok().filter(|rounds| (1000..=MAX_ROUNDS).contains(rounds));
        let refused = || args.refuse_at(2, format!("the number of rounds must be from 1000 to {MAX_ROUNDS}"));
        Some(rounds.ok_or_else(refused)?)
    } else {
        None
    };
    let blocks = 1 + password.len() / 128;
    args.budget.spend(rounds.unwrap_or(ROUNDS) * STEPS_PER_ROUND * blocks)?;
    let hash = encoded(&hash(password.as_bytes(), salt.as_bytes(), rounds.unwrap_or(ROUNDS)));
    let prefix = rounds.map_or_else(String::new, |rounds| format!("rounds={rounds}$"));
    Ok(format!("$6${prefix}{salt}${hash}").into())
}

/// Repeats a hash up to a length in bytes.
fn repeated(hash: &[u8], length: usize) -> Vec<u8> {
    hash.iter().copied().cycle().take(length).collect()
}

/// Computes the hash by the algorithm of Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512".
fn hash(password: &[u8], salt: &[u8], rounds: usize) -> [u8; 64] {
    let digest = Sha512::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut first = Sha512::new().chain_update(password).chain_update(salt);
    first.update(repeated(&digest, password.len()));
    // The algorithm takes one step for each bit of the length.
    let mut length = password.len();
    while length > 0 {
        if length & 1 == 1 {
            first.update(digest);
        } else {
            first.update(password);
        }
        length >>= 1;
    }
    let mut hash: [u8; 64] = first.finalize().into();

    let mut of_password = Sha512::new();
    for _ in 0..password.len() {
        of_password.update(password);
    }
    let password = repeated(&of_password.finalize(), password.len());
    let mut of_salt = Sha512::new();
    for _ in 0..16 + usize::from(hash[0]) {
        of_salt.update(salt);
    }
    let salt = repeated(&of_salt.finalize(), salt.len());

    for round in 0..rounds {
        let mut next = Sha512::new();
        let is_odd = round % 2 == 1;
        next.update(if is_odd { &password[..] } else { &hash[..] });
        if round % 3 != 0 {
            next.update(&salt);
        }
        if round % 7 != 0 {
            next.update(&password);
        }
        next.update(if is_odd { &hash[..] } else { &password[..] });
        hash = next.finalize().into();
    }
    hash
}

/// Encodes the bytes in the order of the algorithm, six bits per character.
fn encoded(hash: &[u8; 64]) -> String {
    let mut out = String::with_capacity(86);
    let mut push = |bits: u32, count: u32| {
        for place in 0..count {
            out.push(char::from(ALPHABET[(bits >> (6 * place) & 63) as usize]));
        }
    };
    // Three bytes are 21 apart, and the positions rotate in each step.
    let (mut a, mut b, mut c) = (0, 21, 42);
    for _ in 0..21 {
        push(u32::from(hash[a]) << 16 | u32::from(hash[b]) << 8 | u32::from(hash[c]), 4);
        (a, b, c) = (b + 1, c + 1, a + 1);
    }
    push(u32::from(hash[63]), 2);
    out
}
