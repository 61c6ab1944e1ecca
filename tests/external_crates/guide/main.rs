//! Walks the guide of `converge-controller` chapter by chapter, as its reader would: with types and controllers of another
//! project. It prints each chapter when what that promises has happened.

mod controllers;
mod ends;
mod resources;
mod types;

type Walked = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A chapter, and what proves it.
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
    // Nothing really waits.
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
