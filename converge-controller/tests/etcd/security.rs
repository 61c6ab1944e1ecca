//! Tests of TLS, of users, and of the error messages about them.

use std::path::Path;
use std::time::Duration;

use converge_controller::storage::{Backend, Consistency, Etcd, EtcdOptions, EtcdTls};
use converge_controller::{Id, Resource, Scope, Uid};
use serde_json::json;

use crate::support::{Cluster, Member, free_port, installed, run};

fn resource(name: &str) -> Resource {
    let id = Id::new(
        "demo.v1.Artist".parse().expect("a type"),
        Scope::Namespace.default_tenancy(),
        name.parse().expect("a name"),
    );
    Resource::new(id.with_uid(Uid::from_bits(1)))
}

/// Writes and reads a resource.
async fn works(store: &Etcd, name: &str) {
    let stored = store.write(resource(name)).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(store.read(&stored.id, Consistency::Strong).await.expect("it is stored"), stored);
}

/// Checks the error of a connection attempt.
#[track_caller]
fn refused(options: EtcdOptions, expect: &[&str]) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        let mut output = String::new();
        // One attempt is enough unless a busy machine exceeds its timeout.
        for seconds in [2, 10, 30] {
            let options = options.clone().request_timeout(Duration::from_secs(seconds));
            output = match Etcd::connect(options).await {
                Ok(_) => panic!("{place}: it connects"),
                Err(unavailable) => unavailable.to_string(),
            };
            if !output.contains("does not answer in time") {
                break;
            }
        }
        for expect in expect {
            assert!(output.contains(expect), "{place}: {output}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_etcd_is_named() {
    let address = format!("http://127.0.0.1:{}", free_port());
    refused(EtcdOptions::new([&address]), &[&address, "Connection refused", "start etcd"]).await;
    refused(
        EtcdOptions::new(["127.0.0.1:2379"]),
        &["\"127.0.0.1:2379\" is not an address of etcd", "http://"],
    )
    .await;
    refused(EtcdOptions::new([""; 0]), &["no address of etcd is given"]).await;
    let with_tls = EtcdOptions::new(["http://127.0.0.1:2379"]).tls(EtcdTls::new());
    refused(with_tls, &["TLS is configured", "write https://"]).await;
}

/// Creates an authority and a certificate signed by it, as files with these names.
fn certify(folder: &Path, authority: &str, name: &str) {
    let file = |name: &str| folder.join(name).to_str().expect("a path of characters").to_owned();
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let (ca, ca_key) = (file(&format!("{authority}.pem")), file(&format!("{authority}.key")));
    if !Path::new(&ca).exists() {
        let subject = format!("/CN={authority}");
        let openssl_arguments = ["req", "-x509", "-subj", &subject, "-keyout", &ca_key, "-out", &ca];
        run("openssl", &[&openssl_arguments[..], &curve].concat());
    }
    let (key, request) = (file(&format!("{name}.key")), file(&format!("{name}.csr")));
    let openssl_arguments = ["req", "-subj", &format!("/CN={name}"), "-keyout", &key, "-out", &request];
    run("openssl", &[&openssl_arguments[..], &curve[..5]].concat());
    let extensions = file(&format!("{name}.ext"));
    let text = "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n";
    std::fs::write(&extensions, text).expect("a file");
    let certificate = file(&format!("{name}.pem"));
    let sign =
        ["x509", "-req", "-in", &request, "-CA", &ca, "-CAkey", &ca_key, "-CAcreateserial", "-days", "2"];
    run("openssl", &[&sign[..], &["-extfile", &extensions, "-out", &certificate]].concat());
}

/// Starts a member with TLS and the certificate `server`.
fn with_tls(folder: &Path, options: &[&str]) -> Cluster {
    let mut member = Member::local(0);
    member.client = member.client.replace("http://", "https://");
    let file = |name: &str| folder.join(name).to_str().expect("a path of characters").to_owned();
    member.arguments =
        vec!["--cert-file".into(), file("server.pem"), "--key-file".into(), file("server.key")];
    member.arguments.extend(options.iter().map(ToString::to_string));
    Cluster::from_members(vec![member])
}

#[tokio::test(flavor = "multi_thread")]
async fn members_prove_who_they_are() {
    if !(installed("etcd") && installed("openssl")) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    certify(folder.path(), "right", "server");
    certify(folder.path(), "wrong", "other");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let cluster = with_tls(folder.path(), &[]);
    let right = EtcdTls::new().authority(read("right.pem"));
    works(&cluster.connect(cluster.options().tls(right.clone())).await, "korn").await;

    let untrusted = ["not signed by a trusted authority"];
    refused(cluster.options().tls(EtcdTls::new().authority(read("wrong.pem"))), &untrusted).await;
    refused(cluster.options(), &untrusted).await;
    refused(cluster.options().tls(right.server_name("elsewhere.test")), &["is for another name"]).await;
    let http_address = cluster.members()[0].client.replace("https://", "http://");
    refused(EtcdOptions::new([http_address]), &["give the address with https://"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn we_prove_who_we_are() {
    if !(installed("etcd") && installed("openssl")) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (authority, name) in [("right", "server"), ("right", "client"), ("wrong", "other")] {
        certify(folder.path(), authority, name);
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let trusted = folder.path().join("right.pem");
    let trusted = trusted.to_str().expect("a path of characters");
    let cluster = with_tls(folder.path(), &["--client-cert-auth", "--trusted-ca-file", trusted]);
    let tls = EtcdTls::new().authority(read("right.pem"));
    let ours = tls.clone().identity(read("client.pem"), read("client.key"));
    works(&cluster.connect(cluster.options().tls(ours)).await, "korn").await;

    refused(
        cluster.options().tls(tls.clone()),
        &["it wants a certificate of us that its --trusted-ca-file signed"],
    )
    .await;
    let untrusted_identity = tls.clone().identity(read("other.pem"), read("other.key"));
    refused(
        cluster.options().tls(untrusted_identity),
        &["it wants a certificate of us that its --trusted-ca-file signed"],
    )
    .await;
    let no_key = tls.identity(read("client.pem"), "no key");
    refused(cluster.options().tls(no_key), &["a certificate or key for etcd cannot be used"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn users_log_in() {
    let Some(cluster) = Cluster::start(1) else { return };
    works(&cluster.connect(cluster.options()).await, "before").await;
    refused(cluster.options().user("root", "secret"), &["it knows no users", "etcdctl auth enable"]).await;

    for (user, role) in [("root", "root"), ("converge", "stores"), ("guest", "")] {
        cluster.operate(0, "/v3/auth/user/add", &json!({ "name": user, "password": "secret" }));
        if role == "stores" {
            cluster.operate(0, "/v3/auth/role/add", &json!({ "name": role }));
            // The range is `/converge/` to `/converge0` in base64.
            let permission = json!({ "permType": "READWRITE", "key": "L2NvbnZlcmdlLw==", "range_end": "L2NvbnZlcmdlMA==" });
            cluster.operate(0, "/v3/auth/role/grant", &json!({ "name": role, "perm": permission }));
        }
        if !role.is_empty() {
            cluster.operate(0, "/v3/auth/user/grant", &json!({ "user": user, "role": role }));
        }
    }
    cluster.operate(0, "/v3/auth/enable", &json!({}));

    let user = || cluster.options().user("converge", "secret");
    let store = cluster.connect(user()).await;
    works(&store, "korn").await;
    let lease = store.lease(&"singleton".parse().expect("a name"));
    let mut lease_watch = lease.watch();
    let lease_watch =
        tokio::time::timeout(Duration::from_secs(30), lease_watch.wait_for(Option::is_some)).await;
    assert!(lease_watch.is_ok(), "a user can hold leases below the prefix");

    refused(cluster.options(), &["it wants a user"]).await;
    let phrases = ["user \"converge\"", "the name or the password of the user is wrong"];
    refused(cluster.options().user("converge", "wrong"), &phrases).await;
    let denied = ["user \"guest\"", "permission denied", "etcdctl role grant-permission"];
    refused(cluster.options().user("guest", "secret"), &denied).await;
    refused(user().prefix("/elsewhere"), &["permission denied"]).await;

    // A restarted member has forgotten all logins.
    cluster.kill(0);
    cluster.restart(0);
    cluster.ready(user()).await;
    works(&store, "again").await;
}
