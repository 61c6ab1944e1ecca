//! The guide of `converge-controller`, chapter by chapter, with types of another project.
//!
//! The program prints each chapter once its claims have been checked.

mod controllers;
mod ends;
mod resources;
mod types;

type Walked = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs each chapter with the function that checks it.
macro_rules! chapters {
    ($($title:literal => $walk:path),* $(,)?) => {
        $(
            $walk().await?;
            println!("{}", $title);
        )*
    };
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Walked {
    // Time is paused, so no wait takes real time.
    tokio::time::pause();
    chapters! {
        "Types" => types::types,
        "The registry" => types::registry,
        "Trying it" => resources::trying_it,
        "Scope" => resources::scope,
        "Validation" => resources::validation,
        "Authorization" => resources::authorization,
        "Mutation" => resources::mutation,
        "Controllers" => controllers::controllers,
        "Errors and retries" => controllers::errors_and_retries,
        "Status" => controllers::status,
        "Watching other resources" => controllers::watching_other_resources,
        "Placement" => controllers::placement,
        "Initializers" => controllers::initializers,
        "Finalizers" => ends::finalizers,
        "Ownership" => ends::ownership,
        "Testing" => ends::testing,
    }
    Ok(())
}
