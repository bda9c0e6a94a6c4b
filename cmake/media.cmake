# The readers of pictures, volumes, texts and arrays: an object library and a test program for each
# folder of media/, so that whoever links one does not link what another is built on. media/arrays
# needs nothing from outside and is always there.
function(knockout_add_media folder)
  knockout_add_stage(media_${folder} media/${folder} data base)
  target_include_directories(knockout_media_${folder} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(knockout_media_${folder} PUBLIC ${ARGN})
endfunction()

knockout_add_media(arrays)
if(NOT media_missing)
  knockout_add_media(image ${jpeg_library} PNG::PNG)
  knockout_add_media(text ICU::uc)
  knockout_add_media(volume ${nifti_library} znz)
  # Its headers include each other as if their own folder were on the path.
  target_include_directories(knockout_media_volume SYSTEM PUBLIC ${nifti_include}/nifti)
  set(media_libraries knockout_media_arrays knockout_media_image knockout_media_text knockout_media_volume)
endif()
