//! The fuzz targets, one file each.

pub(crate) mod assist;
pub(crate) mod expression;
pub(crate) mod format;
pub(crate) mod grpc;
pub(crate) mod http;
pub(crate) mod load;
pub(crate) mod mutate;
pub(crate) mod parse;
pub(crate) mod plugin;
pub(crate) mod stored;
pub(crate) mod template;
