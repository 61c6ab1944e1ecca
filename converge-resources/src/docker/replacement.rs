//! Check and apply of networks and volumes, which the engine cannot change in place.

use converge_sdk::prelude::*;

use super::differences::Differences;
use super::engine::{Engine, EngineError};

/// Formats the reason why an object that differs is left as it is.
pub(super) fn needs_force(kind: &str, name: &str, differences: &Differences, anew: &str) -> String {
    let fields = differences.names();
    format!(
        "{kind} {name:?} differs in {fields}, and these cannot be changed while it exists: with `force = true` {anew}"
    )
}

/// The step that an apply has to perform on a network or a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Plan {
    #[default]
    Nothing,
    Create,
    Remove,
    Recreate,
}

/// A network or a volume.
///
/// The engine cannot change one in place, so one that differs is removed and then created again. Removal
/// comes first because two objects cannot have one name.
#[async_trait]
pub(super) trait Replaceable: Sync {
    /// The kind of object, in the word that the engine uses.
    const KIND: &'static str;

    /// A phrase for messages that says how the object is recreated: `it is removed and created again`.
    const ANEW: &'static str;

    /// Returns the name, whether the object is to exist, and whether it may be recreated.
    fn declared(&self) -> (&str, Ensure, bool);

    /// Returns the step that the last check planned.
    fn plan(&mut self) -> &mut Plan;

    /// Returns the differences from the declaration, or `None` if the object does not exist.
    async fn compare(&mut self, engine: &Engine) -> Result<Option<Differences>, EngineError>;

    async fn remove(&self, engine: &Engine) -> Result<(), EngineError>;

    async fn create(&self, engine: &Engine) -> Result<(), EngineError>;
}

/// Compares the object with its declaration, and plans the step for an apply.
pub(super) async fn check(object: &mut (impl Replaceable + Send), cx: &Context) -> Result<Status> {
    *object.plan() = Plan::Nothing;
    let engine = match Engine::connect_or_wait(cx).await? {
        Ok(engine) => engine,
        Err(waits) => return Ok(waits),
    };
    let differences = object.compare(&engine).await?;
    let mut status = Status::new();
    *object.plan() = decide(object, cx, &engine, differences.as_ref(), &mut status).await?;
    Ok(status)
}

/// Performs the planned step.
pub(super) async fn apply(object: &mut (impl Replaceable + Send), cx: &Context) -> Result<Status> {
    let plan = std::mem::take(object.plan());
    let engine = Engine::connect(cx).await?;
    if matches!(plan, Plan::Remove | Plan::Recreate) {
        object.remove(&engine).await?;
    }
    if matches!(plan, Plan::Create | Plan::Recreate) {
        object.create(&engine).await?;
    }
    Ok(Status::new())
}

/// Chooses the step and reports it.
///
/// `found` holds the differences from the declaration, or is `None` if the object does not exist.
async fn decide<R: Replaceable>(
    object: &R,
    cx: &Context,
    engine: &Engine,
    found: Option<&Differences>,
    status: &mut Status,
) -> Result<Plan> {
    let (name, presence, force) = object.declared();
    if (presence == Ensure::Present) != found.is_some() {
        let (current, target) = match presence {
            Ensure::Present => ("absent", "present"),
            Ensure::Absent => ("present", "absent"),
        };
        status.add_difference("state", current, target);
        status.raise_level(StatusLevel::WillChange);
    }
    let plan = match (presence, found) {
        (Ensure::Present, None) => return Ok(Plan::Create),
        (Ensure::Absent, None) => return Ok(Plan::Nothing),
        (Ensure::Absent, Some(_)) => Plan::Remove,
        (Ensure::Present, Some(differences)) if differences.is_empty() => return Ok(Plan::Nothing),
        (Ensure::Present, Some(differences)) => {
            differences.report(status);
            status.raise_level(StatusLevel::WillChange);
            if !force {
                status.set_error(needs_force(R::KIND, name, differences, R::ANEW));
                return Ok(Plan::Nothing);
            }
            Plan::Recreate
        }
    };
    let containers = users(engine, R::KIND, name).await?;
    if !containers.is_empty() {
        let plural = if containers.len() == 1 { "" } else { "s" };
        let quoted: Vec<_> = containers.iter().map(|name| format!("{name:?}")).collect();
        let in_use = format!(
            "{} {name:?} cannot be removed: it is used by the container{plural} {}",
            R::KIND,
            quoted.join(", ")
        );
        if cx.pending().is_empty() {
            status.set_error(in_use);
        } else {
            // An apply that comes before this one may end the use.
            status.add_message(in_use);
            status.raise_level(StatusLevel::MayChange);
        }
    }
    Ok(plan)
}

/// Returns the names of the containers that use a network or a volume, running or not.
///
/// `filter` is the kind of object.
async fn users(engine: &Engine, filter: &str, value: &str) -> Result<Vec<String>, EngineError> {
    let options = bollard::query_parameters::ListContainersOptions {
        all: true,
        filters: Some([(filter.to_owned(), vec![value.to_owned()])].into()),
        ..Default::default()
    };
    let doing = format!("list the containers of the {filter} {value:?}");
    let containers = engine.ask(doing, engine.docker().list_containers(Some(options))).await?;
    let mut names: Vec<_> = containers
        .into_iter()
        .filter_map(|container| {
            // The engine also lists aliases that linked containers use, as `/other/alias`.
            let own_name =
                |name: &String| name.strip_prefix('/').filter(|name| !name.contains('/')).map(str::to_owned);
            container.names.unwrap_or_default().iter().find_map(own_name).or(container.id)
        })
        .collect();
    names.sort();
    Ok(names)
}
