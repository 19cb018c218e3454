//! What is wrong with a connection, as a reason: its words belong to the language of each reader.

use db::text_enum;

text_enum! {
    /// Why a connection does not work, or not as it should.
    pub enum Trouble {
        /// The name, the network or the TLS handshake fails.
        Unreachable = "unreachable",
        /// The provider's certificate is not acceptable.
        ServerCertificate = "server_certificate",
        /// The provider asks for fewer requests.
        RateLimited = "rate_limited",
        /// Too many requests of ours were waiting.
        Busy = "busy",
        /// The provider failed so often that nothing is sent for a while.
        LeftAlone = "left_alone",
        /// There is no access token.
        NoToken = "no_token",
        /// Our certificate is missing, expired, revoked or unknown to the provider.
        Certificate = "certificate",
        /// The provider does not accept our credentials.
        Credentials = "credentials",
        /// Our credentials lack a permission.
        Permission = "permission",
        /// A proxy in front of the provider answers in its place.
        Proxy = "proxy",
        /// Something else is not set up as the provider requires.
        Setup = "setup",
        /// The provider refuses, with a code of its own.
        Refused = "refused",
        /// The provider does not answer, or not so that it can be read.
        Unanswered = "unanswered",
        /// The provider has not granted permissions that the connection's rails need.
        MissingPermissions = "missing_permissions",
        /// The provider does not accept the public key.
        PublicKey = "public_key",
        /// The provider has no address for notices.
        NoNotices = "no_notices",
        /// The provider sends its notices to another address than this server's.
        NoticesElsewhere = "notices_elsewhere",
    }
}
