//! Saved views of lists.

use crate::platform::messages::Lang;

messages! { VIEWS:
    views_title => "Visões salvas", "Saved views";
    views_of(list) => "Visões salvas: {list}", "Saved views: {list}";
    views_all => "Tudo", "All";
    views_save_this => "Salvar este filtro", "Save this filter";
    views_edit => "Editar visões", "Edit views";
    views_filter => "Filtro", "Filter";
    views_all_dates => "Em todas as datas", "Over all dates";
    views_client => "Código do cliente", "Customer's ID";
    views_link => "Código do link", "Link's ID";
    views_plan => "Código do plano", "Plan's ID";
    views_paid => "Só as pagas", "Only those paid";
    views_paying => "Só as que contam na receita mensal",
        "Only those that count in the monthly revenue";
    views_name => "Nome da visão", "Name of the view";
    views_name_hint(most) => "Até {most} letras. Só você vê.",
        "Up to {most} characters. Only you see it.";
    views_example => "Recusadas", "Refused";
    views_save => "Salvar visão", "Save the view";
    views_saved => "A visão foi salva.", "The view was saved.";
    views_there => "Você já tem uma visão com este nome nesta lista, ou a lista chegou a 20 \
        visões.",
        "You have a view of this name in this list already, or the list has 20 views.";
    views_yours => "Suas visões", "Your views";
    views_none => "Nenhuma visão desta lista. Filtre a lista e salve o filtro.",
        "No view of this list. Filter the list and save the filter.";
    views_delete => "Apagar", "Delete";
    views_deleted => "A visão foi apagada.", "The view was deleted.";
}
