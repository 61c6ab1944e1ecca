//! The fuzzer, which `cargo xtask fuzz` builds and runs.
//!
//! Without the fuzzing build, it runs a target on files to investigate a crash: `cargo run --package
//! converge-fuzz -- TARGET FILE..`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| converge_fuzz::chosen().run(bytes));

#[cfg(not(fuzzing))]
fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let target = converge_fuzz::named(&arguments.next().unwrap_or_default())?;
    for file in arguments {
        let bytes = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
        target.run(&bytes);
    }
    Ok(())
}
