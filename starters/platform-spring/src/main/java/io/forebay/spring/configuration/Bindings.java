/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.springframework.validation.Validator;
import org.springframework.validation.beanvalidation.SpringValidatorAdapter;

/**
 * Binds the property records of the modules of which a property is given, and collects all
 * violations; Spring Boot would stop at the first.
 */
final class Bindings {

  private final ConfigurableEnvironment environment;
  private final Binder binder;
  private final ClassLoader classLoader;
  private final Set<Violation> violations = new LinkedHashSet<>();

  Bindings(ConfigurableEnvironment environment, ClassLoader classLoader) {
    this.environment = environment;
    binder = Binder.get(environment);
    this.classLoader = classLoader;
  }

  Collection<Violation> of(List<String> types) {
    try (ValidatorFactory factory = factory()) {
      Validator annotations =
          factory == null ? null : new SpringValidatorAdapter(factory.getValidator());
      for (String type : types) {
        bind(ClassUtils.resolveClassName(type, classLoader), annotations);
      }
    }
    return violations;
  }

  /** Returns null in an application without Bean Validation, which gets only the other checks. */
  private @Nullable ValidatorFactory factory() {
    return ClassUtils.isPresent("org.hibernate.validator.HibernateValidator", classLoader)
        ? Validation.buildDefaultValidatorFactory()
        : null;
  }

  private void bind(Class<?> type, @Nullable Validator annotations) {
    ConfigurationProperties properties =
        AnnotationUtils.findAnnotation(type, ConfigurationProperties.class);
    if (properties == null || !isGiven(ConfigurationPropertyName.of(properties.value()))) {
      return; // the defaults are valid, and to bind them takes a tenth of the time of a start
    }
    BindHandler handler = new ValidationBindHandler(new Collecting(), new Whole(type, annotations));
    try {
      binder.bindOrCreate(properties.value(), Bindable.of(type), handler);
    } catch (BindException e) {
      add(e.getName(), e.getProperty(), e);
    }
  }

  private boolean isGiven(ConfigurationPropertyName prefix) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source.containsDescendantOf(prefix) != ConfigurationPropertyState.ABSENT
          || source.getConfigurationProperty(prefix) != null) {
        return true;
      }
    }
    return false;
  }

  private void add(
      ConfigurationPropertyName name, @Nullable ConfigurationProperty given, Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindValidationException invalid) {
        invalid
            .getValidationErrors()
            .forEach(it -> add(invalid.getValidationErrors().getName(), it));
        return;
      }
    }
    violations.add(Violation.of(name, given, Allowed.instead(error)));
  }

  private void add(ConfigurationPropertyName root, ObjectError error) {
    ConfigurationPropertyName name =
        error instanceof FieldError field
            ? root.append(DataObjectPropertyName.toDashedForm(field.getField()))
            : root;
    String message = error.getDefaultMessage();
    violations.add(Violation.of(name, given(name), message == null ? "is not allowed" : message));
  }

  private @Nullable ConfigurationProperty given(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty property = source.getConfigurationProperty(name);
      if (property != null) {
        return property;
      }
    }
    return null;
  }

  /** Records what cannot be bound and continues with the default. */
  private final class Collecting extends AbstractBindHandler {

    @Override
    public @Nullable Object onFailure(
        ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
      add(name, context.getConfigurationProperty(), error);
      return null;
    }
  }

  /**
   * Validates a record by its annotations and by its own method after all of it is bound. The
   * handler itself would stop at the first object with errors.
   */
  private record Whole(Class<?> type, @Nullable Validator annotations) implements Validator {

    @Override
    public boolean supports(Class<?> candidate) {
      return candidate == type;
    }

    @Override
    public void validate(Object target, Errors errors) {
      if (annotations != null) {
        annotations.validate(target, errors);
      }
      if (target instanceof Validator itself) {
        itself.validate(target, errors);
      }
    }
  }
}
