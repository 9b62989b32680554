/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.IndependentStatements;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.SharedStatement;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.QueueBackend;
import io.forebay.system.DefaultSystemDatabase;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.ThrowingSupplier;

/**
 * The configured gateways. Each has a client and a {@link JDBCStatement} as beans with its name as
 * qualifier. Without a gateway there are no beans.
 */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.kafka.KafkaAutoConfiguration"
    })
@EnableConfigurationProperties(GatewaysProperties.class)
@Import(GatewayAutoConfiguration.Gateways.class)
public class GatewayAutoConfiguration {

  @Bean
  GatewayLifecycle gatewayLifecycle(ObjectProvider<JDBCService> gateways) {
    return new GatewayLifecycle(gateways.stream().toList());
  }

  private static GatewaysProperties.Gateway configured(String name, BeanFactory beans) {
    GatewaysProperties.Gateway gateway =
        beans.getBean(GatewaysProperties.class).gateways().get(name);
    if (gateway == null) {
      throw new IllegalStateException("gateway " + name + " is missing from the configuration");
    }
    return gateway;
  }

  static JDBCService gateway(String name, ConfigurableListableBeanFactory beans)
      throws SQLException {
    GatewaysProperties.Gateway gateway = configured(name, beans);
    if (gateway.datasource() == null && !gateway.migrations().isEmpty()) {
      OwnTables.migrate(beans.getBean(EmbeddedDatabase.class), name, gateway.migrations());
    }
    ObjectProvider<IndependentStatements> independent =
        beans.getBeanProvider(IndependentStatements.class);
    JDBCService.Builder builder =
        ConfiguredGateway.of(name, gateway, beans)
            .builder(name)
            .independent(independence(name, independent.getIfAvailable()));
    QueueBackend queues = beans.getBean(QueueBackend.class);
    if (gateway.from() == null) {
      builder.queues(queues, Objects.requireNonNullElse(gateway.partitions(), 1));
    } else {
      builder.from(queues, GatewaySource.find(name, gateway.from(), beans));
    }
    beans.getBeanProvider(StatementCatalogue.class).ifAvailable(builder::catalogue);
    if (gateway.acceptText() != null) {
      builder.acceptText(gateway.acceptText());
    }
    return builder.build();
  }

  private static Predicate<String> independence(
      String gateway, @Nullable IndependentStatements statements) {
    return statements == null ? _ -> false : sql -> statements.isIndependent(gateway, sql);
  }

  /**
   * Registers the beans of each gateway. It reads the names from the environment, because no beans
   * exist yet.
   */
  static final class Gateways implements ImportBeanDefinitionRegistrar {

    private final Environment environment;
    private final ConfigurableListableBeanFactory beans;

    public Gateways(Environment environment, BeanFactory beans) {
      this.environment = environment;
      this.beans = (ConfigurableListableBeanFactory) beans;
    }

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      boolean first = true;
      boolean primary = true;
      for (Map.Entry<String, GatewaysProperties.Gateway> entry : gateways().entrySet()) {
        String name = entry.getKey();
        new Registration(registry, name, first)
            .add("Gateway", JDBCService.class, () -> gateway(name, beans));
        if (entry.getValue().from() == null) {
          Registration callers = new Registration(registry, name, primary);
          callers.add("Client", StatementClient.class, () -> service(name).createClient());
          callers.add("Statements", JDBCStatement.class, () -> new SharedStatement(service(name)));
          primary = false;
        }
        if (first) {
          registry.registerBeanDefinition(
              "forebayDefaultSystemDatabase",
              new RootBeanDefinition(
                  DefaultSystemDatabase.class,
                  () -> new DefaultSystemDatabase(configured(name, beans).owner())));
        }
        first = false;
      }
    }

    /** In the order of the configuration. */
    private Map<String, GatewaysProperties.Gateway> gateways() {
      return Binder.get(environment).bindOrCreate("forebay", GatewaysProperties.class).gateways();
    }

    private JDBCService service(String gateway) {
      return beans.getBean(gateway + "Gateway", JDBCService.class);
    }
  }

  /** The beans of one gateway, with its name as their qualifier. */
  private record Registration(BeanDefinitionRegistry registry, String gateway, boolean primary) {

    <T> void add(String suffix, Class<T> type, ThrowingSupplier<T> supplier) {
      RootBeanDefinition bean = new RootBeanDefinition(type, supplier);
      bean.addQualifier(new AutowireCandidateQualifier(Qualifier.class, gateway));
      bean.setPrimary(primary);
      bean.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
      registry.registerBeanDefinition(gateway + suffix, bean);
    }
  }
}
