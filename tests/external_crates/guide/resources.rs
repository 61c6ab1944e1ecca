//! The chapters on resources, from the first steps to mutation.

use std::sync::Arc;

use converge_controller::authorize::{Caller, Rule, Verb};
use converge_controller::clock::{Clock, Random};
use converge_controller::registry::TypeRegistry;
use converge_controller::service::{ErrorKind, List, Service};
use converge_controller::storage::{Consistency, Memory, Redb};
use converge_controller::testing::{TestClient, accesses, admit, resource};
use converge_controller::{Id, Scope, StoredResource as _, Tenancy, Typed};

use crate::Walked;
use crate::types::{Bar, Wide, register_types};

fn bar(baz: &str) -> Bar {
    Bar { baz: baz.to_owned(), qux: None }
}

pub async fn trying_it() -> Walked {
    let mut types = TypeRegistry::new();
    register_types(&mut types)?;
    let store = Arc::new(Memory::new());
    let service = Service::new(store, types, Clock::machine(), Random::from_machine())?;
    service.start().await?;
    let client = service.client(Caller::system());

    let here = Scope::Namespace.default_tenancy();
    let mine = Typed::named(here.clone(), "mine".parse()?, bar("Hello World"));
    let written = client.write_as(mine.clone()).await?;
    let read = client.find_as::<Bar>(mine.id(), Consistency::Strong).await?.ok_or("it is there")?;
    assert_eq!((&*read.baz, read.resource.version.as_ref()), ("Hello World", written.resource.version.as_ref()));

    // The version prevents that a concurrent change is overwritten.
    let mut first = read.clone();
    first.baz = "Hello".to_owned();
    client.write_as(first).await?;
    let late = client.write_as(read).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Aborted, "{late}");

    // A dry run returns the result of the write.
    let refused = client.mutate_and_validate(Typed::named(here.clone(), "bad".parse()?, bar("")).into_resource()).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(client.list_as::<Bar>(&List::for_type::<Bar>().in_tenancy(here)).await?.len(), 1);
    client.delete(mine.id(), None).await?;
    client.delete(mine.id(), None).await?;
    assert!(client.find(mine.id(), Consistency::Strong).await?.is_none());

    // A store in a file works the same, and is locked against a second process.
    let file = std::env::temp_dir().join(format!("guide-{}.redb", std::process::id()));
    let store = Redb::open(&file).await?;
    let second = Redb::open(&file).await.unwrap_err().to_string();
    drop(store);
    std::fs::remove_file(&file)?;
    assert!(second.contains("in use"), "{second}");
    Ok(())
}

pub async fn scope() -> Walked {
    let client = TestClient::in_memory(register_types).await;
    let one = resource::<Wide>("one");
    assert_eq!(one.clone().build().id.to_string(), "foo.v1alpha1.Wide/default/one");
    one.write(&client).await;
    let narrow = Id::new(Wide::resource_type().clone(), Tenancy::from_units("default", "web")?, "one".parse()?);
    let refused = client.find(&narrow, Consistency::Strong).await.unwrap_err().to_string();
    assert!(refused.contains("cannot have a namespace"), "{refused}");

    // A tenancy must exist.
    let nowhere = resource("mine").in_tenancy(Tenancy::from_units("default", "nowhere")?).with_data(bar("x"));
    let refused = client.write(nowhere.build()).await.unwrap_err().to_string();
    assert!(refused.contains("namespace \"nowhere\" does not exist"), "{refused}");
    Ok(())
}

pub async fn validation() -> Walked {
    let refused = admit::<Bar>(resource("mine").with_data(bar("")).build()).unwrap_err();
    assert_eq!(refused, "baz is empty");
    let refused = admit::<Bar>(resource("mine").with_data(bar("a\nb")).build()).unwrap_err();
    assert_eq!(refused, "baz has more than one line");
    // The existence of qux is not checked: see the chapter on statuses.
    let elsewhere = Bar { qux: Some(resource::<Wide>("nobody").build().id), ..bar("x") };
    assert!(admit::<Bar>(resource("mine").with_data(elsewhere).build()).is_ok());
    Ok(())
}

pub async fn authorization() -> Walked {
    let may = |types, verb| Rule::new(types, [verb]).map(|rule| vec![rule]);
    let about = Bar { qux: Some(resource::<Wide>("one").build().id), ..bar("x") };
    let about = resource("mine").with_data(about).build();
    // A caller that may write the subject may read the bar; a caller that may only read bars may not.
    assert!(accesses::<Bar>(may("foo.*.Wide", Verb::Write)?, &about)?.read);
    assert!(!accesses::<Bar>(may("foo.*.Bar", Verb::Read)?, &about)?.read);
    assert!(accesses::<Bar>(may("foo.*.Bar", Verb::Write)?, &about)?.write);
    Ok(())
}

pub async fn mutation() -> Walked {
    let admitted = admit::<Bar>(resource("mine").with_data(bar("  text ")).build());
    assert_eq!(admitted, Ok(bar("text")));
    // A second mutation changes nothing.
    assert_eq!(admit::<Bar>(resource("mine").with_data(bar("text")).build()), Ok(bar("text")));
    Ok(())
}
