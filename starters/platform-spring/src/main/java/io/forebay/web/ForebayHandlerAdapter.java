/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import io.forebay.machine.Machine;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Calls the methods of each {@link ForebayController}. The form of their documents is that of the
 * API: the inner adapter is no bean, so the application's advices and converters do not apply.
 * Thread-safe.
 */
final class ForebayHandlerAdapter implements HandlerAdapter, Ordered {

  private final RequestMappingHandlerAdapter methods =
      new RequestMappingHandlerAdapter() {
        @Override
        protected boolean isContextRequired() {
          return false; // a context would bring the advices in it
        }
      };

  ForebayHandlerAdapter() {
    ConfigurableWebBindingInitializer binding = new ConfigurableWebBindingInitializer();
    binding.setConversionService(new DefaultFormattingConversionService());
    methods.setWebBindingInitializer(binding);
    methods.setMessageConverters(
        List.of(new ByteArrayHttpMessageConverter(), new JacksonJsonHttpMessageConverter(json())));
    methods.setRequestBodyAdvice(List.of(new SmallBodies(Machine::nanos)));
    methods.afterPropertiesSet();
  }

  /** Refuses a scalar of another type than the field has, such as a number as a name. */
  private static JsonMapper.Builder json() {
    return JsonMapper.builder()
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .withCoercionConfig(
            LogicalType.Textual,
            text ->
                text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
  }

  @Override
  public boolean supports(Object handler) {
    return handler instanceof HandlerMethod method
        && ForebayHandlerMapping.isController(method.getBeanType());
  }

  @Override
  public @Nullable ModelAndView handle(
      HttpServletRequest request, HttpServletResponse response, Object handler) throws Exception {
    return methods.handle(request, response, handler);
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }
}
