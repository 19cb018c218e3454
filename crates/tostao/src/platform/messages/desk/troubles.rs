//! What is wrong with a connection, for administrators.

use crate::platform::messages::Lang;

messages! { TROUBLES:
    trouble_unreachable => "O último teste não alcançou o endereço da instituição.",
        "The last test did not reach the institution's address.";
    trouble_server_certificate => "O último teste não aceitou o certificado do endereço da \
        instituição, e nada foi enviado.",
        "The last test did not accept the certificate of the institution's address, and sent \
        nothing.";
    trouble_rate_limited => "No último teste a instituição pediu menos chamadas por um tempo.",
        "In the last test the institution asked for fewer requests for a while.";
    trouble_busy => "No último teste havia chamadas demais à espera da instituição.",
        "In the last test too many requests were waiting for the institution.";
    trouble_left_alone => "A instituição falhou tantas vezes que nada é enviado a ela por um \
        tempo.",
        "The institution failed so often that nothing is sent to it for a while.";
    trouble_no_token => "O último teste não conseguiu um token de acesso da instituição.",
        "The last test got no access token of the institution.";
    trouble_certificate => "A instituição não aceita o certificado desta conexão: está vencido, \
        foi revogado ou é de outra conta. Troque-o.",
        "The institution does not accept the certificate of this connection: it has expired, was \
        revoked or is of another account. Replace it.";
    trouble_credentials => "A instituição não aceita as credenciais desta conexão. Troque-as.",
        "The institution does not accept the credentials of this connection. Replace them.";
    trouble_permission => "A instituição não permite a esta conexão o que ela precisa fazer.",
        "The institution does not permit this connection what it has to do.";
    trouble_proxy => "Quem respondeu ao último teste não foi a instituição, e sim um servidor à \
        frente dela. Um certificado recusado também aparece assim.",
        "What answered the last test was not the institution, but a server in front of it. A \
        certificate that is refused shows so, too.";
    trouble_setup => "A instituição não aceita a configuração desta conexão.",
        "The institution does not accept how this connection is set up.";
    trouble_refused => "A instituição recusou o último teste.",
        "The institution refused the last test.";
    trouble_refused_with(code) => "A instituição recusou o último teste, com o código {code}.",
        "The institution refused the last test, with the code {code}.";
    trouble_unanswered => "A instituição não respondeu ao último teste como devia.",
        "The institution did not answer the last test as it should.";
    trouble_permissions(names) => "Faltam permissões na instituição: {names}.",
        "The institution has not granted these permissions: {names}.";
    trouble_public_key => "A instituição não aceita a chave pública desta conexão. Troque-a.",
        "The institution does not accept the public key of this connection. Replace it.";
    trouble_no_notices => "A instituição não tem um endereço para avisar este servidor.",
        "The institution has no address to notify this server at.";
    trouble_notices_elsewhere => "A instituição avisa o endereço de outro servidor.",
        "The institution notifies the address of another server.";
    trouble_unnamed => "O último teste achou um problema. Teste de novo para ver qual.",
        "The last test found a problem. Test again to see which.";
    trouble_detail => "Detalhe técnico, em inglês", "Technical detail";
}
