//! The traits of a system and their wrappers, made from the table of calls.

/// Defines the trait of each part, and a wrapper trait whose methods delegate to a wrapped part.
///
/// The trait is implemented for all implementors of the wrapper.
macro_rules! traits {
    (
        {}
        $(
            $(#[$doc:meta])*
            trait $Trait:ident $(: $Bound:ident)?,
            $(#[$wrap_doc:meta])*
            trait $Wrap:ident($wrapped:ident) {
                $(plain { $(
                    $(#[$plain_doc:meta])*
                    fn $plain:ident(&$plain_self:ident $(, $plain_arg:ident: $plain_type:ty)*) -> $plain_out:ty;
                )* })?
                $(calls { $(
                    $(#[$call_doc:meta])*
                    async fn $call:ident(&$call_self:ident $(, $call_arg:ident: $call_type:ty)*) -> $call_out:ty
                        $(=> $effect:ident $name:literal $question:ident)?;
                )* })?
                $(provided { $(
                    $(#[$provided_doc:meta])*
                    async fn $provided:ident(&$provided_self:ident $(, $provided_arg:ident: $provided_type:ty)*)
                        -> $provided_out:ty { $($default:tt)* }
                )* })?
                $(fixed { $($fixed:tt)* })?
            }
        )*
    ) => { $(
        $(#[$doc])*
        #[async_trait]
        pub trait $Trait: $($Bound +)? Send + Sync {
            $($(
                $(#[$plain_doc])*
                fn $plain(&$plain_self $(, $plain_arg: $plain_type)*) -> $plain_out;
            )*)?
            $($(
                $(#[$call_doc])*
                async fn $call(&$call_self $(, $call_arg: $call_type)*) -> $call_out; // with `#[async_trait]` on the `impl`
            )*)?
            $($(
                $(#[$provided_doc])*
                async fn $provided(&$provided_self $(, $provided_arg: $provided_type)*) -> $provided_out {
                    $($default)*
                }
            )*)?
            $($($fixed)*)?
        }

        $(#[$wrap_doc])*
        #[async_trait]
        pub trait $Wrap: $($Bound +)? Send + Sync {
            /// Returns the wrapped value, which implements all methods that are not overridden.
            fn $wrapped(&self) -> &dyn $Trait;

            $($(
                #[doc = concat!("Like [`", stringify!($Trait), "::", stringify!($plain), "`].")]
                fn $plain(&self $(, $plain_arg: $plain_type)*) -> $plain_out {
                    self.$wrapped().$plain($($plain_arg),*)
                }
            )*)?
            $($(
                #[doc = concat!("Like [`", stringify!($Trait), "::", stringify!($call), "`].")]
                async fn $call(&self $(, $call_arg: $call_type)*) -> $call_out { // with `#[async_trait]` on the `impl`
                    self.$wrapped().$call($($call_arg),*).await
                }
            )*)?
            $($(
                #[doc = concat!("Like [`", stringify!($Trait), "::", stringify!($provided), "`].")]
                async fn $provided(&self $(, $provided_arg: $provided_type)*) -> $provided_out {
                    self.$wrapped().$provided($($provided_arg),*).await
                }
            )*)?
        }

        #[async_trait]
        impl<T: $Wrap> $Trait for T {
            $($(
                fn $plain(&self $(, $plain_arg: $plain_type)*) -> $plain_out {
                    $Wrap::$plain(self $(, $plain_arg)*)
                }
            )*)?
            $($(
                async fn $call(&self $(, $call_arg: $call_type)*) -> $call_out {
                    $Wrap::$call(self $(, $call_arg)*).await
                }
            )*)?
            $($(
                async fn $provided(&self $(, $provided_arg: $provided_type)*) -> $provided_out {
                    $Wrap::$provided(self $(, $provided_arg)*).await
                }
            )*)?
        }
    )* };
}

pub(super) use traits;
